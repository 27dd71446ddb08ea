"""LIV: the promises about liveness."""
