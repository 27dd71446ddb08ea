"""TTL: sessions and facts expire at their deadline, which only set_ttl and writes may move.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
