"""What checks of several families share: what they write, expect and compare, and fault trials.

It may import ``harness``, ``world.faults``, ``messages`` and ``findings``, and registers no check.
"""
