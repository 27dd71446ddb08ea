"""SQLite files and whole stores as test artifacts: hashed, compared row by row, accepted.

Imports errors, messages and encoding, and from ``report`` only what escapes control characters;
nothing here runs checks.
"""
