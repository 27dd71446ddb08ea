"""Every call of a run: its model, its notation, its file, the excerpt and the numbers of a report.

It imports nothing of goldfish but the errors.
"""

from goldfish.history.call import FAULT, Call, Outcome, find_tag
from goldfish.history.model import About, History

__all__ = ["FAULT", "About", "Call", "History", "Outcome", "find_tag"]
