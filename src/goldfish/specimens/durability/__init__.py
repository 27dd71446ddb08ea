"""Stores that break a promise about durability."""
