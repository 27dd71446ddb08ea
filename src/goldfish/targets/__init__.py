"""What is to be checked: how a target is declared, loaded and named."""
