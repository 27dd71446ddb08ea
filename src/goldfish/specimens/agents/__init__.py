"""Agents that are wrong in exactly one way about what reaches the prompt."""
