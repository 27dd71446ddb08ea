"""A LangChain chat history over our stores."""

from goldfish.integrations.langchain.dropin import ChatMessageHistory

__all__ = ["ChatMessageHistory"]
