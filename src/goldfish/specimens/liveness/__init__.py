"""Stores that break a promise about liveness."""
