"""LlamaIndex: memories and chat stores as targets."""
