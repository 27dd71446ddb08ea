"""What a message is said to have: its own fields, and none of its class."""

import pytest

from goldfish.harness.fields import MISSING, field


def test_the_metadata_of_a_table_is_none_of_its_rows() -> None:
    """A row of SQLAlchemy has an attribute of that name, which describes all tables."""
    orm = pytest.importorskip("sqlalchemy.orm")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    base = orm.declarative_base()
    columns = {
        "__tablename__": "messages",
        "id": sqlalchemy.Column(sqlalchemy.Integer, primary_key=True),
        "content": sqlalchemy.Column(sqlalchemy.String),
    }
    row = type("Message", (base,), columns)(content="hello")
    assert field(row, "content") == "hello"
    assert field(row, "metadata") is MISSING


def test_what_a_class_says_for_all_of_its_messages_is_their_role() -> None:
    """As a class for each role has it."""

    class FromUser:
        role = "user"
        name = "ann"

        def __init__(self) -> None:
            self.content = "hello"

    assert field(FromUser(), "role") == "user"
    assert field(FromUser(), "name") is MISSING


def test_properties_and_slots_are_fields() -> None:
    """They are in the class, and their values are not."""

    class Slotted:
        __slots__ = ("id",)

        def __init__(self) -> None:
            self.id = "m1"

        @property
        def metadata(self) -> dict[str, int]:
            return {"a": 1}

    assert field(Slotted(), "id") == "m1"
    assert field(Slotted(), "metadata") == {"a": 1}
