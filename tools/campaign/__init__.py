"""A campaign for the truth: how often each check catches its specimens, and blames who is right.

It asks every specimen and every correct reference with many seeds, on a quiet and on a busy
machine, and writes the table that the catalogue shows. May import goldfish and ``bench.load``.
"""
