"""CLR: the promises about clearing."""
