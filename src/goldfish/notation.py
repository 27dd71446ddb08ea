"""Histories as text, under the names that the documentation shows."""

from goldfish.history.notation import parse_history as written
from goldfish.history.notation import render_history as drawn

__all__ = ["drawn", "written"]
