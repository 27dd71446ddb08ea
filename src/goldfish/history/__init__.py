"""Every call of a run: its model, its notation, its file, the excerpt and the numbers of a report.

It imports nothing of goldfish but the errors.
"""

from goldfish.history.model import FAULT, About, Call, History, Outcome, find_tag

__all__ = ["FAULT", "About", "Call", "History", "Outcome", "find_tag"]
