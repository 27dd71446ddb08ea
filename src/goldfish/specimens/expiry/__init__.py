"""Stores that break a promise about expiry."""
