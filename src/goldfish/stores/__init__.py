"""Our own memory: the stores that keep every promise; imports nothing that checks."""
