"""What is found out about a memory: kinds of findings, results with their reasons, remedies.

It imports the history and the errors.
"""
