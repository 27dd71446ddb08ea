"""Facts about users: when two are the same, which are near, and which fit a question.

``engine`` serves the stores over a ``backend`` that each of them implements. It imports
``retrieval``, ``embedding`` and the modules at the root.
"""
