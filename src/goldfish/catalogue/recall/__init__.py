"""REC: a query recalls the right facts, filters choose exactly, and pages lose none.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
