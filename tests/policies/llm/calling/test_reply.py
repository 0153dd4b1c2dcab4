"""Whatever a server sends, it is read as an answer or refused in plain words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.policies.llm.calling.failures import AttemptFailedError, Failure, blot
from eduverse_mesa.policies.llm.calling.reply import read_reply
from eduverse_mesa.policies.llm.calls import Completion
from tests.policies.llm.calling.kit import KEY

ANSWER = '{"thought": "so"}'
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PARTS = ("content", "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning")


def read(document: Any) -> Completion:
    return read_reply(json.dumps(document).encode(), KEY)


def outcome(body: bytes) -> Completion | Failure:
    """What is read, or why nothing is."""
    try:
        return read_reply(body, KEY)
    except AttemptFailedError as error:
        return error.failure


def message(**parts: Any) -> Completion:
    """What is read from a message with these parts."""
    return read({"choices": [{"message": {"role": "assistant", **parts}, "finish_reason": "stop"}]})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "choices": ODD
            | st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "message": ODD | st.fixed_dictionaries({}, optional=dict.fromkeys(PARTS, ODD)),
                        "delta": ODD,
                        "text": ODD,
                        "finish_reason": ODD,
                    },
                ),
                max_size=2,
            ),
            "usage": ODD
            | st.fixed_dictionaries(
                {}, optional=dict.fromkeys(("prompt_tokens", "completion_tokens", "prompt_tokens_details"), ODD)
            ),
            "model": ODD,
            "error": ODD,
        },
    ),
    st.sampled_from(["", "data: ", "\ufeff", ": ping\n\ndata: "]),
)
def test_nothing_that_a_server_sends_raises_anything_else(document: dict[str, Any], before: str) -> None:
    body = (before + json.dumps(document)).encode("utf-8", "surrogatepass")
    said = outcome(body)
    if isinstance(said, Failure):
        assert said.reason
        assert said.kind != "unreadable"  # what only the last net catches is a fault of ours
        assert KEY not in said.reason
    else:
        assert isinstance(said.text, str)
        said.text.encode()
        assert said.finish in ("stop", "length", "refused")
        assert all(number is None or 0 <= number <= 10**7 for number in (said.usage.tokens_in, said.usage.tokens_out))


@given(st.binary(max_size=300), st.sampled_from([b"", b"data:", b"\xef\xbb\xbf", b"{", b"<"]))
def test_no_bytes_raise_anything_else(body: bytes, before: bytes) -> None:
    said = outcome(before + body)
    assert isinstance(said, Completion) or (said.reason and said.kind != "unreadable")


@pytest.mark.parametrize("finish", [["stop"], {"reason": "stop"}, 3, None, True])
def test_an_odd_finish_reason_is_none(finish: Any) -> None:
    assert read({"choices": [{"message": {"content": ANSWER}, "finish_reason": finish}]}).text == ANSWER


@pytest.mark.parametrize(
    "parts",
    [
        {"content": ANSWER},
        {"content": [{"type": "text", "text": ANSWER[:5]}, {"type": "text", "text": ANSWER[5:]}]},
        {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": {"value": ANSWER}}]},
        {"content": [ANSWER]},
        {"content": {"thought": "so"}},
        {"content": None, "tool_calls": [{"function": {"name": "answer", "arguments": ANSWER}}]},
        {"content": "", "tool_calls": [{"function": {"name": "answer", "arguments": {"thought": "so"}}}]},
        {"content": None, "function_call": {"name": "answer", "arguments": ANSWER}},
        {"content": "", "reasoning_content": ANSWER},
        {"content": None, "reasoning": f"I think so: {ANSWER}"},
    ],
)
def test_an_answer_is_found_wherever_the_server_has_put_it(parts: dict[str, Any]) -> None:
    assert ANSWER in message(**parts).text


def test_thoughts_without_an_answer_are_none() -> None:
    assert message(content="", reasoning_content="Hm, let me see").text == ""


def test_a_stream_that_nobody_asked_for_is_put_together() -> None:
    def event(**delta: Any) -> dict[str, Any]:
        return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}

    events = [event(role="assistant", content=""), *(event(content=part) for part in (ANSWER[:4], ANSWER[4:]))]
    events += [
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
    ]
    lines = [": keep-alive", *(f"data: {json.dumps(one)}" for one in events), "data: [DONE]", ""]
    said = read_reply("\n\n".join(lines).encode(), KEY)
    assert (said.text, said.finish, said.model) == (ANSWER, "length", "m-1")
    assert (said.usage.tokens_in, said.usage.tokens_out) == (7, 3)


def test_a_stream_of_a_call_and_one_that_is_an_error() -> None:
    parts = [{"index": 0, "function": {"arguments": part}} for part in (ANSWER[:4], ANSWER[4:])]
    stream = "\n\n".join(f"data: {json.dumps({'choices': [{'delta': {'tool_calls': [part]}}]})}" for part in parts)
    assert read_reply(stream.encode(), KEY).text == ANSWER
    with pytest.raises(AttemptFailedError, match="the server failed"):
        read_reply(b'data: {"error": {"message": "overloaded", "code": 503}}\n\n', KEY)


@pytest.mark.parametrize("number", [10**12, -1, "a dozen", "-3", "9" * 9, 3.5, True, None, [1]])
def test_implausible_usage_counts_as_not_told(number: Any) -> None:
    usage = read({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": number}}).usage
    assert usage.tokens_in is None


@pytest.mark.parametrize("number", [12, "12", 12.0], ids=["number", "text", "point"])
def test_usage_is_told_in_several_ways(number: Any) -> None:
    usage = read({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": number}}).usage
    assert (usage.tokens_in, type(usage.tokens_in)) == (12, int)


def test_no_fragment_of_a_key_comes_back() -> None:
    said = message(content=f"your key ends in {KEY[-12:]}, and begins with {KEY[:9]}.").text
    assert said == "your key ends in [key], and begins with [key]."
    assert blot("nothing of it", KEY) == "nothing of it"


@given(st.text(alphabet=KEY + " x", max_size=60))
def test_whatever_is_sent_eight_signs_of_a_key_never_stand_in_a_row(text: str) -> None:
    shown = blot(text, KEY)
    assert not any(KEY[start : start + 8] in shown for start in range(len(KEY) - 7)) or "[key]" in shown
