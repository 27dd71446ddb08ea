"""ISO: the promises about isolation."""
