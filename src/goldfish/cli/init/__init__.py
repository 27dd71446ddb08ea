"""``goldfish init``: find what a project remembers with, and write a test for it.

Reads the table of ``integrations``; imported by the command line only.
"""
