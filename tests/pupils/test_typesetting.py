"""Which parts of what is said are mathematics, how they are shown, and that nothing else comes of a text."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.pupils.typesetting import ELEMENTS, LONGEST, Node, Piece, math, typeset
from eduverse_mesa.scenarios.loader import load_problem
from eduverse_mesa.scenarios.word_problem import schema_of, step_latex


def shown(text: str) -> str:
    """A text in one line: mathematics in ⟦⟧, what is over a line as {top|bottom}."""
    return "".join(piece if isinstance(piece, str) else f"⟦{_line(piece)}⟧" for piece in typeset(text))


def _line(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    parts = [_line(child) for child in piece.children]
    if piece.name == "mfrac":
        return f"{{{parts[0]}|{parts[1]}}}"
    if piece.name == "msup":
        return f"{parts[0]}^{parts[1]}"
    return f"√{parts[0]}" if piece.name == "msqrt" else "".join(parts)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One step is 60 ÷ 20 = 3 feet.", "One step is ⟦60÷20=3⟧ feet."),
        ("60/20=3", "⟦{60|20}=3⟧"),
        ("60 / 20 = 3ft", "⟦60/20=3⟧ft"),
        ("60:20=3, 60 : 20 = 3 and (60-20):4=10", "⟦{60|20}=3⟧, ⟦60/20=3⟧ and ⟦{60−20|4}=10⟧"),
        ("用60：20=3，40:24=5:3", "用⟦{60|20}=3⟧，40:24=5:3"),
        ("3/8 of a yard, 2 1/2 cups", "⟦{3|8}⟧ of a yard, ⟦2{1|2}⟧ cups"),
        ("4 * 2 1/2 + 3 = 13 = 26/2", "⟦4×2{1|2}+3⟧⟦=13⟧⟦={26|2}⟧"),
        ("1 + 2" + " + 2" * 20 + " = 43", "1 + 2" + " + 2" * 20 + "⟦=43⟧"),
        ("12*4 and 12 x 4", "⟦12×4⟧ and ⟦12×4⟧"),
        ("$29.95 + $0.10 * 50 = $34.95", "⟦$29.95+$0.10×50⟧⟦=$34.95⟧"),
        ("15% * 80 = 12", "⟦15%×80=12⟧"),
        ("x^2 + 3 >= 2x, 5 cm^2, sqrt(16)", "⟦x^2+3≥2x⟧, 5 ⟦cm^2⟧, ⟦√16⟧"),
        ("(60 - 20)/4 = 10", "⟦{60−20|4}=10⟧"),
        ("so (60 / 20 = 3) or 3*(4+5", "so (⟦60/20=3⟧) or 3*(⟦4+5⟧"),
        ("用60÷20=3英尺，2又1/2杯", "用⟦60÷20=3⟧英尺，⟦2又{1|2}⟧杯"),
        ("60 feet / 20 = 3", "60 feet / 20 = 3"),
        ("-5 + 3 = -2, 5 * -3", "⟦−5+3=−2⟧, ⟦5×−3⟧"),
        ("½ + 1/4 = 3/4-inch", "⟦½+{1|4}={3|4}⟧-inch"),
        (r"we have \(\frac{60}{20} \cdot x^2\) & more", "we have ⟦{60|20}·x^2⟧ & more"),
        (r"\[\sqrt{9} \le 3\%\]", "⟦√9≤3%⟧"),
        (r"\(\boxed{3}\)", "⟦3⟧"),
    ],
)
def test_arithmetic_and_latex_are_mathematics(text: str, wanted: str) -> None:
    assert shown(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "It costs $29.95 a month, $5 more than $24.95.",
        "$x$ costs $5 and $6",
        "on 3/8/2026 at 10:30 - 11:15, 2026-03-08",
        "the score was 3-2 and 3:2, 1:2 = 2:4, 10:30: 3 of us, and/or w/o n/a km/h 1.2.3",
        "see http://a.b/1/2?x=3 or me@b.de, call 555-1234",
        "grades 6-8, Plan A - 5 messages, A - B, #1/2",
        "I <3 it, <b>3 > 2</b>, **3** => 3rd place, - 5 apples",
        r"\(\frac{1}{\) and \(\foo x\) and \(\) and \( 3",
        "(" * 300,
        "3 +",
        "",
    ],
)
def test_all_else_stays_as_it_was_typed(text: str) -> None:
    assert "".join(str(piece) for piece in typeset(text)) == text


def test_what_is_too_much_is_left_alone() -> None:
    assert typeset("1 + 2 " * LONGEST) == ("1 + 2 " * LONGEST,)
    deep = r"\(" + "{" * 300 + "x" + "}" * 300 + r"\)"
    assert typeset(deep) == (deep,)
    assert typeset(r"\(" + "x" * 500 + r"\)") == (r"\(" + "x" * 500 + r"\)",)


HOSTILE = (
    r"\(\href{javascript:alert(1)}{x}\) \(\text{</math><script>alert(1)</script>}\) \(\text{&lt;b&gt;}\) "
    r"\(\color{red;position:fixed}{x}\) \(\class{a}{x}\) \(\style{position:fixed}{x}\) \(\hspace{9999em}\) "
    "<br/> 1 + 2 = 3</b>"
)


def test_no_markup_comes_out_of_a_text() -> None:
    found = math(HOSTILE)
    assert set(re.findall(r"</?([a-z]+)", found)) <= set(ELEMENTS)
    assert set(re.findall(r" ([a-z]+)=", found)) <= {"alttext", *(one for names in ELEMENTS.values() for one in names)}
    assert "9999em" not in re.sub(r'alttext="[^"]*"', "", found)
    assert "&lt;br/&gt; <math" in found, "and what is around the arithmetic is as it was typed"
    assert math("a & b") == "a &amp; b"


PARTS = st.sampled_from(
    [
        *("0123456789", "12", "1.5", "$3", "20%", *"+-*/÷×=<>^()x²½√:.,_ ", " ", " = ", " / ", "sqrt(", "feet", "w/o"),
        *(r"\(", r"\)", r"\frac", "{", "}", r"\text{a}", "&", "<b>", "又", "英尺", "\n", "@"),
    ]
)


@given(st.lists(PARTS, max_size=60).map("".join))
def test_nothing_that_was_typed_is_lost_and_every_element_is_one_of_ours(text: str) -> None:
    said = []
    for piece in typeset(text):
        if isinstance(piece, str):
            said.append(piece)
            continue
        assert piece.name == "math"
        said.append(piece.attributes["alttext"])
        _check(piece)
    assert "".join(said) == text
    assert unescape(re.sub(r'<math alttext="([^"]*)">.*?</math>', r"\1", math(text), flags=re.DOTALL)) == text


def _check(piece: Node) -> None:
    assert set(piece.attributes) <= ELEMENTS[piece.name] | ({"alttext"} if piece.name == "math" else set())
    for child in piece.children:
        if isinstance(child, Node):
            assert child.name != "math"
            _check(child)


def test_the_formulas_of_a_problem_are_shown_as_mathematics() -> None:
    problem = load_problem("ribbon_bracelets")
    right = schema_of(problem)
    for step in problem.subtasks:
        (piece,) = typeset(rf"\({step_latex(right, step.variable)}\)")
        assert isinstance(piece, Node)
