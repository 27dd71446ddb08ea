"""TTL: the promises about expiry."""
