"""Stores that break a promise about duplication."""
