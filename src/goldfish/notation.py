"""Histories as text, under the name that the documentation shows."""

from goldfish.history.notation import drawn, written

__all__ = ["drawn", "written"]
