"""Targets: how the memory under test is declared, found by its name, and loaded.

Only ``names`` imports other rooms: the libraries and the specimens that have names, and commands.
"""
