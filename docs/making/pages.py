"""Every generated page of the site with its path, for the site and for the tests alike."""

from collections.abc import Iterator

from docs.making import api, catalogue, commands, fixtures, targets


def generated() -> Iterator[tuple[str, str]]:
    """The paths, from the root of the site, and their texts in Markdown."""
    yield from catalogue.pages()
    yield "reference/cli.md", commands.page()
    yield "reference/pytest.md", fixtures.page()
    yield "reference/targets.md", targets.page()
    yield "reference/api.md", api.page()
