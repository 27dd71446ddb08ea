"""Finding what was said or is known again: by its words, and by its meaning."""
