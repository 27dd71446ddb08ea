"""DUR: what was acknowledged outlives its opening, its process and its server.

The checks are grouped by what ends. They may import ``catalogue.registry`` and
``catalogue.support``, ``harness``, ``stress`` and ``findings``.
"""
