"""What is read from the answers of tools, and what is never guessed."""

from typing import Any

import pytest

from goldfish.mcp.answers import Answer, AnswerError, ToolError, split_path


def answer(*texts: str, **more: Any) -> Answer:
    return Answer.of(
        "search", {"content": [{"type": "text", "text": each} for each in texts], **more}
    )


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ({"structuredContent": {"results": [{"text": "tea"}]}}, "results[].text"),
        ({"text": '{"results": [{"text": "tea"}]}'}, "results[].text"),
        ({"structuredContent": {"result": '{"found": ["tea"]}'}}, "result.found[]"),
        ({"text": '["tea"]'}, "[]"),
        ({"structuredContent": {"result": '["tea"]'}}, "[]"),
        ({"structuredContent": {"result": '["tea"]'}}, "result[]"),
        ({"structuredContent": {"result": '{"result": ["tea"]}'}}, "result.result[]"),
        (
            {"text": '{"of": [{"name": "bob", "facts": []}, {"name": "ann", "facts": ["tea"]}]}'},
            "of[name={user}].facts[]",
        ),
    ],
)
def test_a_path_leads_through_structured_content_and_json(
    result: dict[str, Any], path: str
) -> None:
    """Also through JSON in a text within structured content, and to the items of one user."""
    text = result.pop("text", "")
    assert answer(text, **result).find(path, {"user": "ann"}) == ["tea"]


def test_nothing_is_an_answer_too() -> None:
    """A list that is empty or null has no facts."""
    assert answer('{"results": []}').find("results[].text", {}) == []
    assert answer('{"results": null}').find("results[].text", {}) == []


def test_a_path_that_leads_nowhere_is_an_error_and_not_an_empty_memory() -> None:
    """A map that does not fit must not look like a memory that forgets."""
    message = "the answer of search has no 'results' where the map looks: it has 'memories'"
    with pytest.raises(AnswerError, match=message):
        answer('{"memories": []}').find("results[]", {})
    with pytest.raises(AnswerError, match="has no 'results' where the map looks: it is 'No luck'"):
        answer("No luck").find("results[]", {})


def test_a_value_that_is_no_list_is_named() -> None:
    """By what it has instead."""
    message = "the answer of search has no list where the map looks: it has 'memories'"
    with pytest.raises(AnswerError, match=message):
        answer('{"memories": []}').find("[]", {})


def test_a_lone_text_in_structured_content_is_that_text() -> None:
    """As a tool that is annotated with ``-> str`` returns it: JSON in it is read, prose is kept."""
    lone = answer(structuredContent={"result": "no notes"})
    assert (lone.value, lone.prose) == ("no notes", "no notes")
    assert answer(structuredContent={"result": ["tea"]}).value == {"result": ["tea"]}
    assert answer(structuredContent={"result": "tea", "more": 1}).value["result"] == "tea"


def test_what_a_tool_reports_as_an_error_is_raised() -> None:
    """In its own words, and in one line: JSON over several lines would be cut after its brace."""
    with pytest.raises(ToolError, match="no such entity"):
        answer("no such entity", isError=True)
    with pytest.raises(ToolError, match=r'^\{ "error": "busy" \}$'):
        answer('{\n  "error": "busy"\n}', isError=True)


def test_prose_is_read_by_a_pattern_or_refused() -> None:
    """A sentence that no pattern explains is not taken for an empty memory."""
    said = answer("Found:\n- tea (id 1)\n- chess (id 2)")
    pattern = r"^- (?P<text>.*) \(id (?P<id>\d+)\)$"
    assert said.match(pattern, "") == [{"text": "tea", "id": "1"}, {"text": "chess", "id": "2"}]
    assert answer("Nothing found.").match(pattern, "^Nothing") == []
    with pytest.raises(AnswerError, match=r"neither pattern= nor nothing=: 'Nothing found\.'"):
        answer("Nothing found.").match(pattern, "")


@pytest.mark.parametrize("path", ["results[0]", "a..b", "results[", "[a=b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """Before a server is started."""
    with pytest.raises(ValueError, match="is not a path"):
        split_path(path)
