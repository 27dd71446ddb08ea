"""The store in a dict of the process."""
