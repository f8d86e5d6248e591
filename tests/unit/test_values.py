"""Values of a file as text and numbers: nothing is guessed, 0 and missing are never confused."""

import math
from typing import Any

import pytest

from core.ingest import values
from core.records import clean_text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0.0),
        (0.0, 0.0),
        (False, 0.0),
        (True, 1.0),
        ("0", 0.0),
        (" 0.50 ", 0.5),
        ("-1e-3", -0.001),
        (10**20, 1e20),
        (5e-324, 5e-324),
    ],
)
def test_b09_number_is_a_value(value: Any, number: float) -> None:
    score = values.as_score("m", value)

    assert (score.status, score.value, score.cause, score.raw) == ("value", number, None, None)


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (None, None),
        ("", ""),
        (" ", " "),
        ("NaN", "NaN"),
        ("null", "null"),
        ("None", "None"),
        ("N/A", "N/A"),
        ("-", "-"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_b14_absent_score_is_an_error_that_keeps_what_stood_there(value: Any, raw: Any) -> None:
    score = values.as_score("m", value)

    assert (score.status, score.value, score.cause) == ("error", None, "absent_in_file")
    assert score.raw == raw


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        ("good", "good"),
        ("NaN (rate limit)", "NaN (rate limit)"),
        ("0,5", "0,5"),
        ("1e400", "1e400"),
        ([1], "[1]"),
        ({"score": 1}, '{"score": 1}'),
    ],
)
def test_b10_unreadable_score_is_an_error_that_keeps_what_stood_there(value: Any, raw: str) -> None:
    score = values.as_score("m", value)

    assert (score.status, score.value, score.cause) == ("error", None, "unparsable")
    assert score.raw == raw


def test_number_too_large_for_a_double_is_no_number() -> None:
    assert values.as_number(10**400) is None


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("007", "007"),
        (7, "7"),
        (12345678901234567890, "12345678901234567890"),
        ("12345678901234567890", "12345678901234567890"),
        (" a ", " a "),
        ("", None),
        (None, None),
        (True, None),
        ([1], None),
        (math.nan, None),
    ],
)
def test_b18_id_is_text_with_all_its_digits(value: Any, found: str | None) -> None:
    assert values.as_id(value) == found


@pytest.mark.parametrize(
    ("value", "number", "category"),
    [
        (1, 1.0, None),
        (2.5, 2.5, None),
        (False, 0.0, None),
        ("0", 0.0, None),
        ("yes", 1.0, "yes"),
        ("FAIL", 0.0, "FAIL"),
        (" fair ", None, "fair"),
        (["a"], None, '["a"]'),
    ],
)
def test_b10_label_is_a_number_or_a_category(value: Any, number: Any, category: Any) -> None:
    label = values.as_label("tone", value)

    assert label is not None
    assert (label.value, label.category) == (number, category)


@pytest.mark.parametrize("value", [None, "", "n/a", math.nan, math.inf])
def test_empty_label_is_none(value: Any) -> None:
    assert values.as_label("tone", value) is None


def test_nul_and_lone_surrogates_are_replaced_however_deep() -> None:
    found, n = values.clean({"a\x00": ["\ud83d", {"b": "c\udc00"}, 1]})

    assert found == {"a\ufffd": ["\ufffd", {"b": "c\ufffd"}, 1]}
    assert n == 3


def test_pair_of_surrogates_that_json_has_joined_stays() -> None:
    assert clean_text("\U0001f600") == ("\U0001f600", 0)


@pytest.mark.parametrize(
    ("json_text", "may_be"),
    [('"\\u0000"', True), ('"\\uD83D"', True), ('"\\u00e9"', False), ('"é"', False)],
)
def test_only_an_escape_can_bring_in_what_needs_cleaning(json_text: str, may_be: bool) -> None:
    assert values.may_be_unclean(json_text) is may_be


def test_b14_json_text_is_strict() -> None:
    assert values.as_json({"a": [math.nan, math.inf, 1.5]}) == '{"a": [null, null, 1.5]}'


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_has_a_limit() -> None:
    assert values.as_json(nested(50)) == "[" * 50 + "1" + "]" * 50
    with pytest.raises(values.TooDeepError, match="deeper than 50 levels"):
        values.as_json(nested(51))
