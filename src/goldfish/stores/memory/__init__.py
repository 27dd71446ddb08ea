"""The store in dicts of this process, for tests and sketches.

It imports what all stores share, and no other backend.
"""
