"""Stores that break a promise about faults."""
