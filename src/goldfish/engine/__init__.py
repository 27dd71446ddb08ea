"""Runs checks against a target: which of them, in which order, with what result, as events.

It drives the catalogue through the harness; reporters and front doors consume its events. It
imports neither report, cli nor our own stores.
"""

WORKERS = 6  # checks at once: most of them wait for a disk, a server or another process
