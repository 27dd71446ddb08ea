"""Many callers at once: a workload, the fleet that runs it, a nemesis, and the smallest failure.

It imports harness, judges, history and findings.
"""
