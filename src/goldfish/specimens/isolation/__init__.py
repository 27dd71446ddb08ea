"""Stores that break a promise about isolation."""
