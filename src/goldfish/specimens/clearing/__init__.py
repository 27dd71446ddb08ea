"""Stores that break a promise about clearing."""
