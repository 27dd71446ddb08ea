"""CON: several writers, readers and processes at once lose, mix up and invent nothing.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness``, ``stress``,
``messages`` and ``findings``.
"""
