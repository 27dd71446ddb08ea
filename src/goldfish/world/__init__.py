"""The surroundings of a check: a private sandbox with real servers, and the faults in it.

Imports ``services``, ``errors`` and ``threads``; knows nothing of checks.
"""
