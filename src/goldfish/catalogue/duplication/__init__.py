"""DUP: the same message or fact is stored once; what only looks alike is kept apart.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
