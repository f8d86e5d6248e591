from pathlib import Path

import pytest

from core.errors import BadInputError
from core.metrics.hits import HitOptions, find_hits
from core.metrics.medical import (
    MedicalTerms,
    load_medical_terms,
    medical_normaliser,
    normalisation_effect,
)
from core.model import Context, Gold

rewrite = medical_normaliser(load_medical_terms())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T2DM after MI", "type 2 diabetes mellitus after myocardial infarction"),
        # a short form with capitals is replaced in that spelling only, one without in any
        ("mi casa", "mi casa"),
        ("Hx and hx", "history and history"),
        # inside a longer word nothing is replaced
        ("MIX, EMIT", "mix, emit"),
        # the long form is not doubled where it introduces the short one
        ("hypertension (HTN) and HTN", "hypertension () and hypertension"),
    ],
)
def test_abbreviations_become_full_terms(text: str, expected: str) -> None:
    assert rewrite(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("women and Men", "female and male"),
        ("a womanly mention", "a womanly mention"),
        ("ladies", "female"),
    ],
)
def test_words_for_the_sexes_become_one_word_each(text: str, expected: str) -> None:
    assert rewrite(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "65 years and older",
        "aged 65 or over",
        "≥65 years",
        ">= 65 y",
        "65+ years",
        "65 yrs+",
        "age ≥ 65",
        "at least 65 years old",
        "65 and older",
        "aged 65 years and above",
    ],
)
def test_thresholds_that_mean_65_or_more_read_the_same(text: str) -> None:
    assert rewrite(text) == "ge65year"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("over 65 years", "gt65year"),
        ("older than 65", "gt65year"),
        ("under 18 years", "lt18year"),
        ("18 years or younger", "le18year"),
        ("aged 18 to 65", "18to65year"),
        ("18-65 years", "18to65year"),
        ("between 18 and 65 years of age", "18to65year"),
        ("at least 6 months", "ge6month"),
        ("a 65-year-old man", "a 65 year male"),
    ],
)
def test_other_thresholds_stay_apart(text: str, expected: str) -> None:
    assert rewrite(text) == expected


@pytest.mark.parametrize(
    "text", ["pressure ≥ 65 mmhg", "dose 2.5 to 10 mg", "page 12", "between 3 and 4 tablets"]
)
def test_numbers_that_are_no_age_stay_as_they_are(text: str) -> None:
    assert rewrite(text) == text


def test_rewriting_twice_changes_nothing_more() -> None:
    once = rewrite("Women ≥ 65 y with HTN, aged 70 or over")
    assert rewrite(once) == once


def test_an_empty_table_rewrites_nothing_but_case() -> None:
    assert medical_normaliser(MedicalTerms({}, {}, {}))("MI at 65 Years") == "mi at 65 years"


# --- the table ------------------------------------------------------------------------------------


def test_an_edited_table_is_used(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text('[abbreviations]\nMS = "multiple sclerosis"\n', encoding="utf-8")
    assert medical_normaliser(load_medical_terms(file))("MS") == "multiple sclerosis"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("[abbreviations", "cannot be read"),
        ("[abbreviations]\nMI = 3\n", "abbreviations.MI"),
        ('[abbreviations]\nMI = " "\n', "abbreviations.MI"),
        ('[words]\nmale = "man"\n', "words.male"),
        ("[units]\nyear = [1]\n", "units.year"),
        ("words = 3\n", r"\[words\]"),
    ],
)
def test_a_bad_table_is_named_with_its_entry(tmp_path: Path, content: str, named: str) -> None:
    file = tmp_path / "terms.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BadInputError, match=named):
        load_medical_terms(file)


def test_a_missing_table_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.toml"):
        load_medical_terms(tmp_path / "none.toml")


# --- hits -----------------------------------------------------------------------------------------


def _sample(context: str, gold: str) -> tuple[list[Context], list[Gold], list[str]]:
    return [Context(1, context)], [Gold(text=gold)], []


def test_rewriting_is_off_by_default_and_finds_other_wording_when_on() -> None:
    contexts, gold, _ = _sample("Contraindicated in women aged 65 and older.", "female ≥ 65 years")
    assert find_hits(contexts, gold).stages == (None,)
    assert find_hits(contexts, gold, options=HitOptions(normaliser=rewrite)).stages == (
        "substring",
    )


def test_effect_counts_what_is_gained_and_lost() -> None:
    samples = [
        _sample("avoid in HTN", "avoid in hypertension"),  # gained
        _sample("risk over 65 years", "65 years"),  # lost: a threshold is no age
        _sample("same words", "same words"),  # a hit in both
        _sample("nothing", "else"),  # a hit in neither
        ([Context(1, "HTN", "a")], [Gold("a")], []),  # by id: a hit in both
        ([], [], []),  # no evidence: not counted
    ]
    effect = normalisation_effect(samples, rewrite)
    assert (effect.gained, effect.lost) == ((0,), (1,))
    assert (effect.before.k, effect.after.k, effect.before.n) == (3, 3, 5)
    assert (effect.n_by_id, effect.n_contexts_gained, effect.n_contexts_lost) == (1, 1, 1)
    assert effect.change is not None
    assert effect.change.value == 0.0
