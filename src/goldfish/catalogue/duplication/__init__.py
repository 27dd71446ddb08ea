"""DUP: the promises about duplication."""
