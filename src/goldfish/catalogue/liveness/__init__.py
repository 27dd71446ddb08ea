"""LIV: the store goes on answering.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness``, ``messages``
and ``findings``.
"""
