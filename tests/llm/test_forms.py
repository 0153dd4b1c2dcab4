"""A type becomes a form; what a model fills in becomes a value of the type, or it is said what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from eduverse_mesa.errors import PolicyError
from eduverse_mesa.llm.forms import ALONE, Form
from eduverse_mesa.policies.llm.answer import read_answer
from eduverse_mesa.policies.llm.calls import Completion
from eduverse_mesa.policies.llm.shape import UnusableError


class Move(Enum):
    """Where to."""

    STAY = "stay"
    GO_AWAY = "go away"


class Level(IntEnum):
    """How much."""

    LOW = 1
    HIGH = 2


class Offer(BaseModel):
    """An offer in a bargain."""

    price: float = Field(ge=0, le=100, description="what you would pay")
    units: int = Field(3, ge=1, le=9)
    why: str = Field(max_length=80)
    to: Move | None = None
    firm: bool = False


class Deal(BaseModel):
    """Two offers of which the second is higher."""

    offers: list[Offer] = Field(min_length=1, max_length=2)

    @model_validator(mode="after")
    def _rising(self) -> Deal:
        if len(self.offers) == 2 and self.offers[1].price <= self.offers[0].price:
            raise ValueError("the second offer must be higher")
        return self


@dataclass
class Vote:
    party: Literal["red", "blue", "I don't know / other"]
    sure: Annotated[int, Field(ge=0, le=10)]


class Way(Enum):
    """Options that are no words."""

    NORTH = (0, 1)
    SOUTH = (0, -1)


class Loop(BaseModel):
    """Goes on for ever."""

    inner: Loop | None = None


class Free(BaseModel):
    """No fixed fields."""

    anything: dict[str, int]


class Unknown(BaseModel):
    """Names a type that nobody has defined."""

    place: Nowhere  # type: ignore[name-defined]  # noqa: F821


class Object(BaseModel):
    """Holds what is no plain field."""

    model_config = {"arbitrary_types_allowed": True}
    thing: Form


class Nothing(BaseModel):
    """Bounds with nothing in between."""

    share: int = Field(ge=5, le=2)


class Short(BaseModel):
    """The same for text."""

    name: str = Field(min_length=9, max_length=3)


class Few(BaseModel):
    """The same for a list."""

    names: list[str] = Field(min_length=3, max_length=2)


OFFER: dict[str, Any] = {"price": 3.5, "units": 2, "why": "It is late.", "to": "stay", "firm": True}


def read(kind: Any, text: str) -> Any:
    """What a model said, as a value of the type."""
    form = Form.of(kind)
    return form.value(read_answer(Completion(text), form.shape, ""))


@pytest.mark.parametrize(
    ("kind", "said", "value"),
    [
        (Move, '{"answer": "go away"}', Move.GO_AWAY),
        (Move, '{"answer": "Go-Away"}', Move.GO_AWAY),
        (Level, '{"answer": 2}', Level.HIGH),
        (Level, '{"answer": "2"}', Level.HIGH),
        (Literal["a", "b"], '{"answer": "b"}', "b"),
        (Literal["only"], '{"answer": "only"}', "only"),
        (bool, '{"answer": false}', False),
        (int, '{"answer": -4}', -4),
        (float, '{"answer": 0.25}', 0.25),
        (str, '{"answer": "Well,\\nyes."}', "Well, yes."),
        (list[int], '{"answer": [1, 2]}', [1, 2]),
        (Vote, '{"party": "i dont know", "sure": 3}', None),
        (Vote, '{"party": "I don\'t know / other", "sure": 3}', Vote("I don't know / other", 3)),
        (Offer, json.dumps(OFFER), Offer(**OFFER)),
        (Offer, f"Let me think. {json.dumps(OFFER)} That is all.", Offer(**OFFER)),
        (Offer, json.dumps({**OFFER, "to": None}), Offer(**{**OFFER, "to": None})),
        (int | str, '{"answer": "x"}', "x"),
    ],
)
def test_what_a_model_says_becomes_a_value(kind: Any, said: str, value: Any) -> None:
    if value is None:
        with pytest.raises(UnusableError, match="party must be one of: red, blue, I don't know / other"):
            read(kind, said)
        return
    assert read(kind, said) == value
    assert type(read(kind, said)) is type(value)


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        (Move, '{"answer": "fly"}', "answer must be one of: stay, go away"),
        (Level, '{"answer": 3}', "answer must be one of: 1, 2"),
        (Level, '{"answer": true}', "answer must be one of: 1, 2"),
        (int, '{"answer": 3.5}', "whole number"),
        (float, '{"answer": "much"}', "answer must be a number"),
        (str, '{"answer": ""}', "answer is empty"),
        (str, json.dumps({"answer": "As an AI language model, I have no home."}), "it was refused"),
        (Offer, json.dumps({**OFFER, "price": 101}), "price must be a number from 0 to 100"),
        (Offer, json.dumps({**OFFER, "units": 0}), "units must be a whole number from 1 to 9"),
        (Offer, json.dumps({**OFFER, "why": "x" * 81}), "why is too long: 81 characters, at most 80"),
        (Offer, '{"price": 1}', "the field units is missing"),
        (Deal, json.dumps({"offers": [OFFER, OFFER]}), "^the second offer must be higher"),
        (Deal, '{"offers": []}', "offers must have 1 to 2 entries, not 0"),
    ],
)
def test_what_is_wrong_is_said_in_words_for_the_model(kind: Any, said: str, words: str) -> None:
    with pytest.raises(UnusableError, match=words):
        read(kind, said)


def test_a_form_is_one_that_every_server_takes() -> None:
    schema = Form.of(Deal).shape.schema
    text = json.dumps(schema)
    assert "$ref" not in text
    assert "default" not in text
    offer = schema["properties"]["offers"]["items"]
    assert offer["required"] == list(offer["properties"]) == ["price", "units", "why", "to", "firm"]
    assert offer["additionalProperties"] is False
    assert offer["properties"]["to"] == {
        "anyOf": [{"type": "string", "enum": ["stay", "go away"]}, {"type": "null"}],
    }


def test_a_form_shows_how_it_looks_and_what_its_fields_mean() -> None:
    form = Form.of(Offer)
    assert form.shape.outline == (
        '{"price": number from 0 to 100, "units": 1..9, "why": "...", "to": "stay"|"go away" or null, '
        '"firm": true|false}'
    )
    assert form.told == (("price", "what you would pay"),)
    assert (Form.of(Move).shape.outline, Form.of(Move).told) == ('{"answer": "stay"|"go away"}', ())


@pytest.mark.parametrize(
    ("kind", "name"), [(Move, "Move"), (bool, "bool"), (Literal["a"], ALONE), (list[int], ALONE), (Vote, "Vote")]
)
def test_a_form_has_a_name_that_servers_take(kind: Any, name: str) -> None:
    assert Form.of(kind).name == name


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Free, "its field anything has no fixed fields"),
        (dict, "has no fixed fields"),
        (Loop, "goes on for ever"),
        (Way, "options that are neither text nor numbers"),
        (object, "neither text nor number|nobody can be asked"),
        (Any, "neither text nor number"),
        (lambda: None, "nobody can be asked"),
        (Callable[[int], int], r"nobody can be asked for it: no form can ask for collections\.abc\.Callable"),
        (Unknown, r"^Unknown: nobody can be asked for it: a type in it is not known: Nowhere\."),
        (Object, r"^Object: nobody can be asked for it: its field thing is Form, which no form can ask for"),
        (Nothing, r"its field share allows nothing: at least 5 and at most 2\. Correct"),
        (Short, r"its field name allows nothing: at least 9 and at most 3 characters"),
        (Few, r"its field names allows nothing: at least 3 and at most 2 entries"),
    ],
    ids=[
        "mapping",
        "dict",
        "loop",
        "tuples",
        "object",
        "any",
        "function",
        "callable",
        "unknown",
        "a-class",
        "bounds",
        "text",
        "list",
    ],
)
def test_a_type_that_no_form_can_ask_for_is_refused(kind: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words) as caught:
        Form.of(kind)
    assert not re.search("pydantic-core|TypeAdapter|CoreSchema|core_schema", str(caught.value))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Move", "'Move' is a value, and no type"),
        (None, "None is a value"),
        (["red", "blue"], r"Write Literal\['red', 'blue'\]"),
        (Move.STAY, "Write Move, its class"),
        (Vote("red", 3), "Write Vote, its class"),
    ],
    ids=["name", "none", "list", "member", "instance"],
)
def test_a_value_is_no_type(value: Any, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        Form.of(value)


offers = st.builds(
    Offer,
    price=st.floats(0, 100),
    units=st.integers(1, 9),
    why=st.text("abc de,.", min_size=1, max_size=80).filter(
        lambda text: text.split() and text == " ".join(text.split())
    ),
    to=st.none() | st.sampled_from(Move),
    firm=st.booleans(),
)


@given(offers)
def test_a_value_goes_into_its_form_and_comes_out_again(offer: Offer) -> None:
    form = Form.of(Offer)
    said = Completion(json.dumps(form.filled(offer)))
    assert form.value(read_answer(said, form.shape, "")) == offer


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists) | st.text())
def test_nothing_that_a_model_says_raises_anything_else(said: Any) -> None:
    for kind in (Offer, Deal, Move, Level, int, str, int | str):
        try:
            read(kind, said if isinstance(said, str) else json.dumps({"answer": said, "offers": said, "price": said}))
        except UnusableError:
            continue
