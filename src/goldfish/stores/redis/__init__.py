"""The store over Redis or Valkey."""
