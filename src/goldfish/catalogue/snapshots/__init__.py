"""SNP: a session is saved, rolled back and forked exactly, also across processes.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness``, ``stress`` and
``findings``.
"""
