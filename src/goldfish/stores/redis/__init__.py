"""The store over Redis or Valkey: each write is one Lua script.

Imports what all stores share; redis-py only when a store is made.
"""
