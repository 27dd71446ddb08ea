"""Stores that break a promise about concurrency."""
