"""Calls recorded in an application, replayed on another store, rerun and turned into tests.

It imports the history, the judges, the harness and the stress of fleets, but no check.
"""
