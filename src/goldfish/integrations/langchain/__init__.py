"""LangChain: histories, classic memories and runnables as targets; a history over our stores."""
