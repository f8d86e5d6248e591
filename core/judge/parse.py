"""Reading a judge's reply: exactly one JSON object, checked against its schema, nothing guessed."""

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from core.model import ErrorKind

MAX_REPLY_CHARS = 200_000
_MAX_PROSE = 2_000  # brackets; each is tried as the beginning of a list
_MESSAGE_CHARS = 300
_FENCE = re.compile(r"\s*```[\w-]*[^\S\n]*\n(.*?)\n?[^\S\n]*```\s*", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_JSON_LIKE = re.compile(r"\{|\[\s*[{\[]")


class ReplyError(Exception):
    """A reply that cannot be used; the message says why, in words that the judge can act on."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Parsed(NamedTuple):
    """The object of a reply, and how it was found: plain, fenced or prose, with control marks."""

    value: dict[str, Any]
    path: str


def parse_reply(text: str) -> Parsed:
    """The one top-level JSON object of a reply.

    One code fence is taken off, and prose may stand around the object. No object, more than one,
    an object inside an array or a text, NaN, Infinity, or a key twice make the reply unusable: a
    judge that quotes a planted verdict beside its own must not be read as if it had given one.
    Raw control characters inside texts are let through on a second try.

    Raises:
        ReplyError: invalid_json.

    >>> parse_reply('Here it is: {"score": 4}').value
    {'score': 4}
    """
    if len(text) > MAX_REPLY_CHARS:
        raise _invalid(f"The reply has {len(text)} characters; {MAX_REPLY_CHARS} is the limit.")
    fenced = _FENCE.fullmatch(text)
    body = fenced[1] if fenced else text
    marks = ""
    try:
        found = _objects(body, strict=True)
    except ReplyError as error:
        if "control character" not in str(error):
            raise
        found = _objects(body, strict=False)
        marks = "+control"
    if not found:
        raise _invalid("The reply holds no JSON object.")
    if len(found) > 1:
        raise _invalid(f"The reply holds {len(found)} JSON objects instead of one.")
    stripped = body.strip()
    is_bare = stripped.startswith("{") and stripped.endswith("}")
    path = "fenced" if fenced else "plain" if is_bare else "prose"
    return Parsed(found[0], path + marks)


def _invalid(message: str) -> ReplyError:
    return ReplyError(ErrorKind.INVALID_JSON, message)


def _objects(text: str, *, strict: bool) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_float=_finite,
        parse_constant=_no_constant,
        strict=strict,
    )
    found: list[dict[str, Any]] = []
    at, n_brackets = 0, 0
    while (opening := _OPENING.search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            # A brace that begins no object may be a broken verdict, and what stands inside it is
            # not top-level; any other bracket is mere prose, such as a citation.
            n_brackets += 1
            is_syntax = isinstance(error, json.JSONDecodeError | RecursionError)
            if _JSON_LIKE.match(text, opening.start()) or not is_syntax or n_brackets > _MAX_PROSE:
                raise _invalid(f"The JSON cannot be read: {_short(str(error))}.") from error
            at = opening.start() + 1
            continue
        if isinstance(value, dict):
            found.append(value)
        elif any(isinstance(item, dict) for item in value):
            raise _invalid("The reply holds a list of JSON objects instead of one.")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def check_schema(value: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Refuse an object that is not exactly what the contract asks for.

    Raises:
        ReplyError: schema; the message holds the place and the value that was refused.
    """
    error = best_match(_validator(json.dumps(schema)).iter_errors(value))
    if error is not None:
        place = ".".join(str(part) for part in error.absolute_path)
        where = f"{place}: " if place else ""
        raise ReplyError(ErrorKind.SCHEMA, f"{where}{_short(error.message)}.")


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MESSAGE_CHARS else line[:_MESSAGE_CHARS] + "…"
