"""The Lua scripts of the Redis store.

Every write is one script, so it happens as a whole or not at all. Nothing here talks to a server.
"""
