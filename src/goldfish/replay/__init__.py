"""Calls recorded, compared, run again and turned into tests."""
