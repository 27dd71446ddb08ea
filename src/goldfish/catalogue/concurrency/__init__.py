"""CON: the promises about concurrency."""
