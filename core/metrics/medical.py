"""Rewriting of medical text so that the same thing is written the same way.

Abbreviations become full terms, words for the sexes one word each, and thresholds of age one token
each: "65 years and older", "aged 65 or over" and "≥ 65 y" are all ``ge65year``, "over 65 years" is
``gt65year``. Meant for both sides of a comparison, never for display.
Source: the normalisation layer that RAG-X (arXiv 2603.03541) describes; the table is our own.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.metrics.evidence import Rewrite
from core.metrics.hits import DEFAULT_OPTIONS, HitOptions, Hits, find_hits
from core.metrics.intervals import Difference, Rate, paired_difference, wilson
from core.model import Context, Gold
from core.resources import resource


@dataclass(frozen=True, slots=True)
class MedicalTerms:
    """The table: short form to long form; term to other words for it; unit to its spellings."""

    abbreviations: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]


def load_medical_terms(path: Path | None = None) -> MedicalTerms:
    """The table of a TOML file, by default of ``data/medical_terms.toml``.

    Raises:
        BadInputError: the file cannot be read or an entry is not what it should be.
    """
    file = path or resource("data", "medical_terms.toml")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{file.name} cannot be read: {error}") from error
    return parse_medical_terms(text, file.name)


def parse_medical_terms(text: str, file: str) -> MedicalTerms:
    r"""The table of a TOML text; ``file`` is what errors call it.

    Raises:
        BadInputError: no TOML, or an entry that is not what it should be.

    >>> parse_medical_terms("[abbreviations]\nHTN = 'high pressure'", "own.toml").abbreviations
    {'HTN': 'high pressure'}
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{file} cannot be read: {error}") from error
    unknown = [name for name in table if name not in _SECTIONS]
    if unknown:
        raise BadInputError(f"{file}: [{unknown[0]}] is none of {', '.join(_SECTIONS)}.")
    for name, entry in _entries(table, "abbreviations", file):
        if not name.strip() or not isinstance(entry, str) or not entry.strip():
            raise BadInputError(f"{file}: abbreviations.{name} must be a text.")
    for section in ("words", "units"):
        for name, entry in _entries(table, section, file):
            if not isinstance(entry, list) or not all(isinstance(one, str) for one in entry):
                raise BadInputError(f"{file}: {section}.{name} must be a list of texts.")
    return MedicalTerms(
        dict(table.get("abbreviations", {})),
        {name: tuple(entry) for name, entry in table.get("words", {}).items()},
        {name: tuple(entry) for name, entry in table.get("units", {}).items()},
    )


_SECTIONS = ("abbreviations", "words", "units")


def _entries(table: Mapping[str, Any], section: str, file: str) -> Iterable[tuple[str, Any]]:
    entries = table.get(section, {})
    if not isinstance(entries, dict):
        raise BadInputError(f"{file}: [{section}] must be a table.")
    return entries.items()


def medical_normaliser(terms: MedicalTerms) -> Rewrite:
    """Function that rewrites a text by the table.

    >>> rewrite = medical_normaliser(load_medical_terms())
    >>> rewrite("Women ≥ 65 y with HTN"), rewrite("females aged 65 and older with hypertension")
    ('female ge65year with hypertension', 'female ge65year with hypertension')
    """
    steps = [
        _abbreviations(terms.abbreviations),
        str.lower,
        _words(terms.words),
        _thresholds(terms.units),
    ]

    def rewrite(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return rewrite


def _alternation(words: Iterable[str]) -> str:
    """Any of the words, the longest first, not inside a longer word."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<![^\W_])(?:{'|'.join(map(re.escape, ordered))})(?![^\W_])"


def _abbreviations(table: Mapping[str, str]) -> Rewrite:
    exact = {short: full for short, full in table.items() if short != short.lower()}
    loose = {short: full for short, full in table.items() if short == short.lower()}
    steps = [
        (re.compile(_alternation(group), flags), group)
        for group, flags in ((exact, re.NOFLAG), (loose, re.IGNORECASE))
        if group
    ]

    def rewrite(text: str) -> str:
        for pattern, group in steps:
            text = pattern.sub(_expander(group), text)
        return text

    return rewrite


def _expander(table: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    def expand(match: re.Match[str]) -> str:
        full = table.get(match[0]) or table[match[0].lower()]
        before = match.string[max(0, match.start() - len(full) - 3) : match.start()].rstrip()
        is_introduced = (
            before.endswith("(")
            and before[:-1].rstrip().lower().endswith(full.lower())
            and match.string[match.end() :].lstrip().startswith(")")
        )
        # "hypertension (HTN)" introduces the short form; the long one must not stand there twice.
        return "" if is_introduced else full

    return expand


def _words(table: Mapping[str, tuple[str, ...]]) -> Rewrite:
    terms = {other.lower(): term for term, others in table.items() for other in others}
    if not terms:
        return str
    pattern = re.compile(_alternation(terms))
    return lambda text: pattern.sub(lambda match: terms[match[0]], text)


# What stands before or after the number of a threshold.
_BEFORE = {
    "ge": r"≥|⩾|>=|at least|no younger than|not younger than",
    "le": r"≤|⩽|<=|at most|up to|no older than|not older than",
    "gt": r">|older than|over|above|more than|greater than",
    "lt": r"<|younger than|under|below|less than|fewer than",
}
_AFTER = {
    "ge": r"\s*\+|\s*(?:and|or)\s+(?:older|over|above|more|up)\b",
    "le": r"\s*(?:and|or)\s+(?:younger|under|below|less)\b",
}
_ANY_BEFORE = "|".join(_BEFORE.values())
_NUMBER = r"(?<![\w.,])(\d{1,3})(?![.,]?\d)"


def _thresholds(table: Mapping[str, tuple[str, ...]]) -> Rewrite:
    names = {name: unit for unit, others in table.items() for name in (unit, *others)}
    if not names:
        return str
    spelling = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
    unit = f"({'|'.join(map(re.escape, table))})"
    spelled = re.compile(rf"{_NUMBER}(\s*\+)?[\s-]*({spelling})(?![^\W_])(?:[\s-]old)?(?: of age)?")
    old = re.compile(rf"{_NUMBER}(?=\s*(?:and|or)\s+(?:older|younger)\b)")
    than = re.compile(rf"((?:older|younger) than\s*){_NUMBER}(?! {unit})")
    aged = re.compile(rf"(?<!\w)age[ds]?\s*(?:of\s+)?((?:{_ANY_BEFORE})?\s*){_NUMBER}(?: {unit})?")
    between = re.compile(
        rf"(?:between\s+{_NUMBER}(?: {unit})?\s*(?:-|–|to|and)|{_NUMBER}(?: {unit})?\s*(?:-|–|to))"
        rf"\s*{_NUMBER}(?: {unit})?(?!\w)"
    )
    steps: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        (spelled, lambda m: f"{m[1]} {names[m[3]]}{(m[2] or '').strip()}"),
        (old, lambda m: f"{m[1]} {_YEAR}"),
        (than, lambda m: f"{m[1]}{m[2]} {_YEAR}"),
        (aged, lambda m: f"{m[1]}{m[2]} {m[3] or _YEAR}"),
        (between, _range),
    ]
    steps += [
        (re.compile(rf"{_NUMBER} {unit}(?:{words})"), _threshold(name))
        for name, words in _AFTER.items()
    ]
    steps += [
        (re.compile(rf"(?:(?<!\w)(?:{words}))\s*{_NUMBER} {unit}(?!\w)"), _threshold(name))
        for name, words in _BEFORE.items()
    ]

    def rewrite(text: str) -> str:
        for pattern, replacement in steps:
            text = pattern.sub(replacement, text)
        return text

    return rewrite


_YEAR = "year"


def _range(match: re.Match[str]) -> str:
    low, low_unit = match[1] or match[3], match[2] or match[4]
    unit = match[6] or low_unit
    # Two numbers without a unit are no ages, and "6 months to 2 years" is not one unit.
    if unit is None or (low_unit and low_unit != unit):
        return match[0]
    return f"{low}to{match[5]}{unit}"


def _threshold(name: str) -> Callable[[re.Match[str]], str]:
    # One token, so that "over 65" is not taken for "65 and over" by the words that they share.
    return lambda match: f"{name}{match[1]}{match[2]}"


# --- what the rewriting does to the hits ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NormalisationEffect:
    """Hits of the same samples without and with the rewriting.

    ``gained`` and ``lost`` hold the places, in the order given, of the samples that became a hit
    or ceased to be one. ``before`` and ``after`` are over the samples whose hits are defined, and
    ``change`` is their difference, samples paired. ``n_by_id`` of these are matched by id, which
    no rewriting touches. The last two count contexts.
    """

    before: Rate
    after: Rate
    change: Difference | None
    gained: tuple[int, ...]
    lost: tuple[int, ...]
    n_by_id: int
    n_contexts_gained: int
    n_contexts_lost: int


Evidence = tuple[Sequence[Context] | None, Sequence[Gold], Sequence[str]]
"""Contexts, gold and references of one sample."""


def normalisation_effect(
    samples: Iterable[Evidence], rewrite: Rewrite, options: HitOptions = DEFAULT_OPTIONS
) -> NormalisationEffect:
    """Compare the hits of samples without any rewriting and with this one.

    >>> sample = ([Context(1, "Avoid in HTN.")], [Gold(text="avoid in hypertension")], [])
    >>> normalisation_effect([sample], medical_normaliser(load_medical_terms())).gained
    (0,)
    """
    gained, lost = [], []
    n_before = n_both = n = by_id = contexts_gained = contexts_lost = 0
    for place, (contexts, gold, references) in enumerate(samples):
        plain = find_hits(contexts, gold, references, replace(options, normaliser=None))
        if plain.basis is None:
            continue
        rewritten = find_hits(contexts, gold, references, replace(options, normaliser=rewrite))
        n += 1
        by_id += plain.basis == "gold_id"
        was, is_now = plain.first is not None, rewritten.first is not None
        n_before += was
        n_both += was and is_now
        if is_now and not was:
            gained.append(place)
        if was and not is_now:
            lost.append(place)
        contexts_gained += _changed(plain, rewritten)
        contexts_lost += _changed(rewritten, plain)
    n_after = n_both + len(gained)
    return NormalisationEffect(
        before=wilson(n_before, n),
        after=wilson(n_after, n),
        change=paired_difference(n_both, len(gained), len(lost), n - n_before - len(gained)),
        gained=tuple(gained),
        lost=tuple(lost),
        n_by_id=by_id,
        n_contexts_gained=contexts_gained,
        n_contexts_lost=contexts_lost,
    )


def _changed(one: Hits, other: Hits) -> int:
    """Contexts that are no hit in the first and one in the second."""
    return sum(
        before is None and after is not None
        for before, after in zip(one.stages, other.stages, strict=True)
    )
