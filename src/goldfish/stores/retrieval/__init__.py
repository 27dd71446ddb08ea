"""What facts and searches share: the words, names, times and vectors of texts, and their scores.

It knows neither facts nor sessions, and imports only ``embedding`` and the modules at the root.
"""
