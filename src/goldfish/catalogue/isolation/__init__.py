"""ISO: what belongs to one session or user reaches no other.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
