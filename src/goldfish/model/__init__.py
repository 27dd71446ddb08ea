"""A memory that holds to the small print, as plain Python: what every call must answer.

It imports messages and errors alone: our own stores are tested with it, and others are checked.
"""
