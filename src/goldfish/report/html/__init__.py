"""The report as an HTML page: one file without scripts that fetches nothing and prints well.

It imports what the other reports import.
"""

from goldfish.report.html.document import render_html

__all__ = ["render_html"]
