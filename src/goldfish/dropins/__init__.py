"""The public names of our stores behind other libraries' interfaces, one module per library.

They import from ``integrations`` only; there is nothing else here.
"""
