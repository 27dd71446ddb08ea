"""Stores that break a promise about recall."""
