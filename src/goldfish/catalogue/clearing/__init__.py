"""CLR: clear, clear_all and delete_messages remove what they name and leave the rest.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
