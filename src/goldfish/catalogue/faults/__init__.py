"""FLT: a fault of the network, the server or the disk is reported, survived, and then over.

The checks are grouped by what fails. They may import ``catalogue.registry`` and
``catalogue.support``, ``harness``, ``stress``, ``world.faults`` and ``findings``.
"""
