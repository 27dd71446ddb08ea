"""The store over PostgreSQL: each write is one call of a function in the database.

Imports what all stores share; psycopg only when a store is made.
"""
