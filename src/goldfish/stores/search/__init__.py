"""Searches of what was said: which messages of some sessions fit a question.

``engine`` serves the stores over a ``backend`` that each of them implements. It imports
``retrieval``, ``embedding`` and the modules at the root.
"""
