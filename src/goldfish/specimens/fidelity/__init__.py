"""Stores that break a promise about fidelity."""
