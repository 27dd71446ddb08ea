"""Agents under test: their workers, what is said to them, and which prompts came of it.

It imports ``findings``, ``harness``, ``history``, ``mirror``, ``services``, ``targets``, ``world``.
"""
