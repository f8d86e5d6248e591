"""Turning values of a file into clean text and numbers; nothing here guesses.

Bare NaN and Infinity, empty cells and nulls become an error ``absent_in_file``, any other text
that is no number an error ``unparsable``; the text itself is kept as ``raw``.
"""

import json
import math
import re
from decimal import Decimal
from typing import Any

from core.model import ErrorKind, Status
from core.records import ParsedLabel, ParsedScore, clean_text

MAX_DEPTH = 50
_BAD_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_ABSENT = {"", "nan", "null", "none", "n/a", "na", "-", "inf", "-inf", "infinity", "-infinity"}
_VALUE = Status.VALUE.value
_SAFE_DIGITS = 15
_NO_ERROR = {"false", "no", "0", "ok", "[]", "{}"}
_YES = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}


class TooDeepError(ValueError):
    """A value is nested deeper than MAX_DEPTH."""


def may_be_unclean(json_text: str) -> bool:
    r"""False if no text in this valid JSON can need ``clean``: JSON can only escape NUL.

    >>> may_be_unclean(r'["a\u00e9"]'), may_be_unclean(r'["\ud800"]')
    (False, True)
    """
    return "\\u" in json_text and _BAD_ESCAPE.search(json_text) is not None


def clean(value: Any) -> tuple[Any, int]:
    r"""A value from a file with all its texts and keys cleaned; returns how many were replaced.

    >>> clean({"a": ["b\x00", 1]})
    ({'a': ['b\ufffd', 1]}, 1)
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        items = [clean(item) for item in value]
        return [item for item, _ in items], sum(n for _, n in items)
    if isinstance(value, dict):
        pairs = [(clean_text(key), clean(item)) for key, item in value.items()]
        return {key: item for (key, _), (item, _) in pairs}, sum(n + m for (_, n), (_, m) in pairs)
    return value, 0


def as_json(value: Any) -> str:
    """Strict JSON text of a value from a file; NaN and Infinity become null.

    Raises:
        TooDeepError: lists and objects are nested deeper than MAX_DEPTH.

    >>> as_json({"a": [float("nan"), 1]})
    '{"a": [null, 1]}'
    """
    return json.dumps(_finite(value, 0), ensure_ascii=False, allow_nan=False)


def _finite(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise TooDeepError(f"The row is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item, depth + 1) for item in value]
    return value


def as_id(value: Any) -> str | None:
    """An id as text, exactly as written; numbers keep all their digits.

    >>> as_id(12345678901234567890)
    '12345678901234567890'
    """
    if isinstance(value, str):
        return value or None
    if value is None or isinstance(value, bool | list | dict):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value)


def as_number(value: Any) -> float | None:
    """A finite number, or None for anything else.

    >>> as_number(" 0.50 "), as_number("1,5"), as_number(True), as_number("1e400")
    (0.5, None, 1.0, None)
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        value = value.strip()
        if not _NUMBER.fullmatch(value):
            return None
    elif not isinstance(value, int):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def is_absent(value: Any) -> bool:
    """True for null, NaN, Infinity, and the texts that stand for a missing number.

    >>> is_absent(None), is_absent(" N/A "), is_absent(0), is_absent("none of them")
    (True, True, False, False)
    """
    if isinstance(value, float):
        return not math.isfinite(value)
    return value is None or (isinstance(value, str) and value.strip().lower() in _ABSENT)


def _loses_digits(text: str, number: float) -> bool:
    """True if a number was written with more digits than are left of it."""
    return len(text) > _SAFE_DIGITS and Decimal(text.strip()) != Decimal(repr(number))


def known(value: Any) -> Any:
    """A value of JSON, or None for the numbers that are none: NaN and Infinity.

    >>> known(float("nan")), known(0.0), known("NaN")
    (None, 0.0, 'NaN')
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_error(value: Any) -> bool:
    """True if what stands where a row tells its error is one, and not "none" in some words.

    >>> is_error("timed out"), is_error(False), is_error("None"), is_error([]), is_error("False")
    (True, False, False, False, False)
    """
    if isinstance(value, str):
        return not is_absent(value) and value.strip().casefold() not in _NO_ERROR
    return bool(known(value))


def as_score(metric: str, value: Any) -> ParsedScore:
    """A score as the file gives it; 0 and absent are never confused.

    >>> as_score("m", 0)
    ParsedScore(metric='m', status='value', value=0.0, cause=None, raw=None)
    >>> as_score("m", float("nan")).cause
    'absent_in_file'
    """
    number = as_number(value)
    if number is not None:
        raw = value.strip() if isinstance(value, str) and _loses_digits(value, number) else None
        return ParsedScore(metric, _VALUE, number, None, raw)
    kind = ErrorKind.ABSENT_IN_FILE if is_absent(value) else ErrorKind.UNPARSABLE
    return ParsedScore(metric, Status.ERROR.value, None, kind.value, _raw(value))


def failed(score: ParsedScore, value: Any) -> ParsedScore:
    """The score of a row that says that it failed: an error, whatever number stands there.

    >>> failed(as_score("m", 0.0), 0.0)
    ParsedScore(metric='m', status='error', value=None, cause='reported_by_file', raw='0.0')
    """
    kind = ErrorKind.REPORTED_BY_FILE.value
    raw = str(value) if isinstance(value, int) else _raw(value)
    return ParsedScore(score.metric, Status.ERROR.value, None, kind, raw)


def _raw(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return str(value)
    return value if isinstance(value, str) else as_json(value)


def as_label(criterion: str, value: Any) -> ParsedLabel | None:
    """A label of the file: a number, a yes or no as 1 or 0, else a category; None if empty.

    >>> as_label("correct", "yes"), as_label("correct", "n/a")
    (ParsedLabel(criterion='correct', value=1.0, category='yes'), None)
    """
    number = as_number(value)
    if number is not None:
        return ParsedLabel(criterion, number, None)
    if is_absent(value):
        return None
    text = (value if isinstance(value, str) else as_json(value)).strip()
    return ParsedLabel(criterion, _YES.get(text.lower()), text)
