"""Tables and functions of the PostgreSQL store: one module for each part of a version.

``{s}`` in a statement stands for the quoted name of the schema. What a version did is never edited:
a schema of any older version goes through the versions after its own, one by one.
"""
