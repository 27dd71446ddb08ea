"""Reports of what was found, for people and machines: terminal, JSON, JUnit, GitHub, HTML.

They consume events and results; nothing here imports the catalogue, a store or a command.
"""
