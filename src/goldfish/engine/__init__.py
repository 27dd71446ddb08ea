"""The run: which checks, in which order, with what result."""
