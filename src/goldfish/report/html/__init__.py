"""The report as a page: one file that needs nothing else, from any browser to any printer."""

from goldfish.report.html.document import render_html

__all__ = ["render_html"]
