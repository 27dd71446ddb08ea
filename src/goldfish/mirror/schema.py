"""A value that a JSON schema allows, with a given text in its strings."""

from typing import Any

from goldfish.mirror.record import Json

DEEPEST = 6  # levels of a schema that refers to itself


def make_instance(schema: Json, text: str) -> Any:
    """Return the smallest value that the schema allows; free strings hold the text."""
    if not schema:
        return {"text": text}
    return _make(schema, text, schema, 0)


def _make(schema: Any, text: str, root: Json, depth: int) -> Any:
    if not isinstance(schema, dict):
        return text
    schema = _resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            return _make(_choose(schema[word], root), text, root, depth)
    if schema.get("allOf"):
        merged: Json = {"properties": {}, "required": []}
        for part in schema["allOf"]:
            part = _resolve(part, root)
            merged["properties"] |= part.get("properties", {})
            merged["required"] += part.get("required", [])
            merged |= {k: v for k, v in part.items() if k not in ("properties", "required")}
        return _make(merged, text, root, depth)
    return _make_typed(schema, text, root, depth)


def _make_typed(schema: Json, text: str, root: Json, depth: int) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if str(each).lower() != "null"), "null")
    kind = str(kind).lower() if kind else ("object" if "properties" in schema else "string")
    if kind == "object":
        return _make_object(schema, text, root, depth)
    if kind == "array":
        count = max(schema.get("minItems", 0), 1 if depth < DEEPEST else 0)
        return [_make(schema.get("items", {}), text, root, depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        return _make_number(schema)
    if kind == "boolean":
        return False
    return None if kind == "null" else _make_string(schema, text)


def _make_object(schema: Json, text: str, root: Json, depth: int) -> Json:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    # Optional properties are given too, as a model that has something to say would.
    names = [each for each in properties if each in required or depth < DEEPEST - 1]
    made = {name: _make(properties[name], text, root, depth + 1) for name in names}
    for name in required:
        made.setdefault(name, text)
    return made


def _make_number(schema: Json) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None:
        return 1 if high is None or high > 1 else high - 1
    return low if "minimum" in schema else low + (1 if high is None else (high - low) / 2)  # type: ignore[no-any-return]


def _make_string(schema: Json, text: str) -> str:
    formats = {
        "date-time": "2026-01-01T00:00:00Z",
        "date": "2026-01-01",
        "time": "00:00:00Z",
        "uuid": "00000000-0000-4000-8000-000000000000",
        "email": "someone@example.com",
        "uri": "https://example.com/",
    }
    if schema.get("format") in formats:
        return formats[schema["format"]]
    text = text[: schema["maxLength"]] if "maxLength" in schema else text
    return text.ljust(schema.get("minLength", 0), ".")


def _choose(options: list[Any], root: Json) -> Any:
    """Return the first option that is not null."""
    resolved = [_resolve(each, root) for each in options]
    return next((each for each in resolved if each.get("type") != "null"), resolved[0])


def _resolve(schema: Any, root: Json) -> Json:
    """Follow a reference inside the schema."""
    while isinstance(schema, dict) and str(schema.get("$ref", "")).startswith("#/"):
        found: Any = root
        for part in schema["$ref"][2:].split("/"):
            found = found.get(part, {}) if isinstance(found, dict) else {}
        schema = found
    return schema if isinstance(schema, dict) else {}
