"""Other libraries' memory as targets, and our stores behind their interfaces: a folder for each.

``libraries`` is the table of them; it imports no library, and neither does anything that reads it.
The rooms that check know only the table; a library's folder may import targets, stores and world.
"""
