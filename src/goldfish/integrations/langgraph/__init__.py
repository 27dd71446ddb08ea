"""LangGraph: checkpointers and stores as targets, and a saver and a store over ours."""
