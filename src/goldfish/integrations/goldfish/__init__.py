"""Our own stores as targets."""
