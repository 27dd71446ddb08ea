"""Memories in any language: a command that speaks JSON-RPC on standard input and output.

It imports ``harness``, ``history``, ``services``, ``targets`` and ``world``.
"""
