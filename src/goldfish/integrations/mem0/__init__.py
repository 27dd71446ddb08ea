"""Mem0: offline, as a target and as a fixture."""
