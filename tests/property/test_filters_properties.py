"""A filter survives being written into an address or a command."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInputError
from core.filters import EVIDENCE, HITS, PARTS, SampleFilter, from_terms
from core.model import TRIAD, Flag, Mode

# Signs that mean something in a term come often, in names as in values.
texts = st.text(st.one_of(st.characters(), st.sampled_from("=\\\\.<>@")), max_size=8)
names = texts.filter(bool)
bounds = st.floats(allow_nan=False, allow_infinity=False)
lows = st.one_of(st.just(-math.inf), bounds)
highs = st.one_of(st.just(math.inf), bounds)


def tuples(*values: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    items = st.tuples(*values) if len(values) > 1 else values[0]
    return st.lists(items, max_size=3, unique=True).map(tuple)


counts = st.integers(0, 10**9 - 1).map(float)
pairs = st.tuples(st.integers(1, 99), st.integers(1, 99)).filter(lambda pair: pair[0] < pair[1])

filters = st.builds(
    SampleFilter,
    modes=tuples(st.sampled_from(Mode)),
    flags=tuples(st.sampled_from(Flag)),
    tags=tuples(names, texts),
    causes=tuples(st.sampled_from(["not_scored", "error", "error:timeout", "not_applicable:a=b"])),
    labels=tuples(names, texts),
    text=texts,
    scores=tuples(st.sampled_from(TRIAD), lows, highs),
    metrics=tuples(names, lows, highs),
    parts=tuples(names, st.sampled_from(PARTS)),
    hits=tuples(st.sampled_from(HITS)),
    outcomes=tuples(texts),
    correct_by=tuples(st.sampled_from(["label", "exact", "none"])),
    refusals=tuples(texts),
    evidence=tuples(
        st.sampled_from(EVIDENCE),
        st.one_of(st.just(-math.inf), counts),
        st.one_of(st.just(math.inf), counts),
    ),
    same_words=tuples(
        st.one_of(st.just("any"), pairs.map(lambda pair: f"{pair[0]}+{pair[1]}")), lows, highs
    ),
    states=tuples(names, st.sampled_from(["not_scored", "error", "not_applicable:no_reference"])),
)


@given(filters)
def test_terms_are_read_back_as_the_same_filter(wanted: SampleFilter) -> None:
    assert from_terms(wanted.terms()) == wanted


@given(filters)
def test_order_of_terms_of_different_kinds_does_not_matter(wanted: SampleFilter) -> None:
    terms = sorted(wanted.terms(), key=lambda term: term.split("=")[0], reverse=True)

    assert set(from_terms(terms).terms()) == set(wanted.terms())


@given(st.text(max_size=20))
def test_any_text_is_a_term_or_refused_in_words(text: str) -> None:
    with suppress(BadInputError):
        assert from_terms(from_terms([text]).terms()) == from_terms([text])


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("", "is no filter"),
        ("colour=red", "is no filter"),
        ("mode=fine", "There is no mode 'fine'; known: success"),
        ("flag=odd", "There is no flag 'odd'"),
        ("mode.x=success", "has a name too many"),
        ("tag=x", "lacks a name: write tag.NAME=VALUE"),
        ("cause=timeout", "must begin with a state"),
        ("score.rouge=0..1", "score.rouge is no triad score"),
        ("score.groundedness=0.5", "must name a range"),
        ("score.groundedness=a..b", "must name a range"),
        ("score.groundedness=nan..1", "must name a range"),
        ("part.correct=exam", "must be one of train, dev, test"),
        ("evidence=2", "lacks a name: write evidence.NAME=VALUE"),
        ("evidence.words=2", "known: evidence.rank, evidence.contexts"),
        ("evidence.rank=1.5", "must be a number or a range of them"),
        ("evidence.contexts=<2..", "must be a number or a range of them"),
        ("evidence.contexts=", "must be a number or a range of them"),
        ("same_words.2=0.8..", "must name two ranks"),
        ("same_words.2+2=0.8..", "must name two ranks"),
    ],
)
def test_what_is_no_filter_is_explained(term: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said.replace(".", r"\.")):
        from_terms([term])


def test_only_one_text_can_be_looked_for() -> None:
    with pytest.raises(BadInputError, match="Only one text"):
        from_terms(["text=a", "text=b"])
