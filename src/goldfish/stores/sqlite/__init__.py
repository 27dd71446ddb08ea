"""The store in one SQLite file, shared safely by threads and processes.

``store`` is the way in; ``lanes`` bring its work to the file, each module beside them holds the
statements of one subject. It imports what all stores share, and no other backend.
"""
