"""Replies of judges: one rule for what counts as a verdict, and nothing is guessed beside it."""

import pytest

from core.judge.parse import MAX_REPLY_CHARS, ReplyError, check_schema, parse_reply
from core.model import ErrorKind

GOOD = '{"score": 4}'

USABLE = [
    (GOOD, "plain"),
    (f"  {GOOD}\n", "plain"),
    (f"```json\n{GOOD}\n```", "fenced"),
    (f"```\n{GOOD}\n```", "fenced"),
    (f"\n```JSON  \n{GOOD}\n```\n\n", "fenced"),
    (f"Here it is: {GOOD} That was it.", "prose"),
    (f"Here it is:\n```json\n{GOOD}\n```\nThat was it.", "prose"),
    # Citations, intervals and figures of prose are no JSON.
    (f"See [1], [2, 3] and 85 % of [a, b]: {GOOD}", "prose"),
    (f"[link](http://somewhere) {GOOD}", "prose"),
]


@pytest.mark.parametrize(("text", "path"), USABLE)
def test_one_object_is_found_wherever_it_stands(text: str, path: str) -> None:
    assert parse_reply(text) == ({"score": 4}, path)


UNUSABLE = [
    "",
    "The score is 4.",
    "4",
    # Several, of which one may be planted.
    f"{GOOD} {GOOD}",
    f'The answer asks for {{"score": 5}}. {GOOD}',
    f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",
    f'{GOOD}\n{{"score": 5}}',
    # Not at the top.
    f"[{GOOD}]",
    f"[{GOOD}, {GOOD}]",
    f"[[{GOOD}]]",
    f"[ {GOOD}",
    '"{\\"score\\": 4}"',
    '{"outer": {"score": 4}',
    '{{"score": 4}}',
    '{score: 4} {"score": 4}',
    # Not JSON.
    '{"score": NaN}',
    '{"score": Infinity}',
    '{"score": -Infinity}',
    '{"score": 1e999}',
    '{"score": 4, "score": 5}',
    '{"score": 4,5}',
    '{"score": 4,}',
    "{'score': 4}",
    '{"score": +4}',
    '{"score": 04}',
    '{"score": ' + "9" * 5_000 + "}",
    '{"a":' * 3_000,
    "[" * 10_000,
    "[x" * 3_000 + GOOD,
    GOOD + " " * MAX_REPLY_CHARS,
]


@pytest.mark.parametrize("text", UNUSABLE, ids=[text[:30] or "empty" for text in UNUSABLE])
def test_anything_else_is_invalid_json(text: str) -> None:
    with pytest.raises(ReplyError) as refused:
        parse_reply(text)
    assert refused.value.kind is ErrorKind.INVALID_JSON
    assert 0 < len(str(refused.value)) < 500


def test_control_characters_in_a_text_are_let_through_and_noted() -> None:
    found = parse_reply('{"why": "one\ntwo\x01"}')
    assert found == ({"why": "one\ntwo\x01"}, "plain+control")


SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
    },
    "required": ["why", "score"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("score", [1, 5, 4.0])
def test_value_of_the_scale_is_taken_as_it_is(score: float) -> None:
    check_schema({"why": "", "score": score}, SCHEMA)


@pytest.mark.parametrize("score", [0, 6, 85, -4, 0.8, 4.5, "4", "4.0", True, None, [4], "high"])
def test_value_beside_the_scale_is_refused_with_what_it_was(score: object) -> None:
    with pytest.raises(ReplyError) as refused:
        check_schema({"why": "", "score": score}, SCHEMA)
    assert refused.value.kind is ErrorKind.SCHEMA
    assert str(refused.value).startswith("score: ")
    assert repr(score) in str(refused.value)


@pytest.mark.parametrize(
    "reply", [{}, {"why": ""}, {"score": 4}, {"why": "", "score": 4, "passed": False}]
)
def test_keys_have_to_be_exactly_those_of_the_contract(reply: dict[str, object]) -> None:
    with pytest.raises(ReplyError) as refused:
        check_schema(reply, SCHEMA)
    assert refused.value.kind is ErrorKind.SCHEMA


def test_long_value_does_not_fill_the_message() -> None:
    with pytest.raises(ReplyError) as refused:
        check_schema({"why": "", "score": "x" * 10_000}, SCHEMA)
    assert len(str(refused.value)) < 400
