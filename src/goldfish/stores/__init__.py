"""Our own memory: the stores, and the engines of facts and searches that they share.

``base`` validates and encodes; a backend (``memory/``, ``sqlite/``, ``redis/``, ``postgres/``) sees
ids and JSON texts. It imports ``embedding`` and the modules at the root; nothing that checks
imports it, so that a pod of somebody else's memory loads none of this.
"""
