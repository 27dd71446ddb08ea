"""Instances of JSON schemas."""

from typing import Any

import pydantic
import pytest

from goldfish.mirror.schema import make_instance


class Leaf(pydantic.BaseModel):
    name: str = pydantic.Field(min_length=3, max_length=8)
    weight: float = pydantic.Field(ge=2, le=3)
    kind: pydantic.Json[Any] | None = None


class Tree(pydantic.BaseModel):
    text: str
    leaves: list[Leaf] = pydantic.Field(min_length=2)
    colour: str = pydantic.Field(json_schema_extra={"enum": ["red", "green"]})
    child: "Tree | None" = None
    count: int = pydantic.Field(gt=5)
    options: dict[str, str] = {}


def test_an_instance_is_valid() -> None:
    """References, bounds, unions and recursion included."""
    made = make_instance(Tree.model_json_schema(), "r5f2c9")
    for leaf in made["leaves"]:
        leaf["kind"] = None
    child = made["child"]
    while child:
        for leaf in child["leaves"]:
            leaf["kind"] = None
        child = child.get("child")
    tree = Tree.model_validate(made)
    assert tree.text == "r5f2c9"
    assert tree.colour == "red"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, {"text": "x"}),
        ({"type": "string"}, "x"),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "ARRAY", "items": {"type": "STRING"}}, ["x"]),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, False),
        ({"allOf": [{"properties": {"a": {"const": 7}}}, {"required": ["b"]}]}, {"a": 7, "b": "x"}),
        ({"type": "object", "required": ["a"]}, {"a": "x"}),
        ({"type": "number", "maximum": 0}, -1),
        ({"type": "string", "format": "date"}, "2026-01-01"),
    ],
)
def test_small_schemas(schema: Any, expected: Any) -> None:
    """Each word of a schema counts."""
    assert make_instance(schema, "x") == expected
