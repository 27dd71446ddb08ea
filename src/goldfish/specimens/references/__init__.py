"""Correct stores, which specimens change in one way."""
