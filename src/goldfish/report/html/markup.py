"""Elements of a page; a text is escaped and made inert unless it is markup of our own."""

from html import escape

from goldfish.report.sanitize import escape_controls

VOID = {"meta", "line", "rect", "circle", "path", "polygon", "polyline"}  # have no contents


class Markup(str):
    """Text that is markup already: only this module and constants make it."""

    __slots__ = ()


def escape_text(text: str) -> Markup:
    """Return any text as itself: nothing in it acts, turns the direction or hides."""
    return Markup(escape(escape_controls(text), quote=True))


def join(*parts: str) -> Markup:
    """Return the parts one after the other, escaped where they are not markup."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape_text(part) for part in parts)
    )


def element(name: str, *contents: str, **attributes: str | float | None) -> Markup:
    """Return an element; attributes that are None are left out, so is a final underscore."""
    spelled = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(_format_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{spelled}/>")
    return Markup(f"<{name}{spelled}>{join(*contents)}</{name}>")


def _format_value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
