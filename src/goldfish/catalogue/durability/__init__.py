"""DUR: the promises about durability."""
