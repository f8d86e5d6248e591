"""Filter terms: what is read, what is refused, and that text and filter are the same."""

import math
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInputError
from core.filters import SampleFilter, from_terms, split_term
from core.ranges import compared, range_above, range_below, range_from, range_up_to


def test_range_of_any_metric_is_kept_with_its_name() -> None:
    wanted = from_terms(["metric.hit@5=0.2..0.6", "metric.a.b@0123456789ab=..3"])
    assert wanted.metrics == (("hit@5", 0.2, 0.6), ("a.b@0123456789ab", -math.inf, 3.0))


def test_marked_ends_do_not_belong_to_the_range() -> None:
    ((_, low, high),) = from_terms(["metric.m=>0.2..<0.6"]).metrics
    assert 0.2 < low < 0.2 + 1e-12
    assert 0.6 - 1e-12 < high < 0.6


@pytest.mark.parametrize("cut", [0.6, 0.7, 1 / 3, 0.0, -2.5, 4.0, 1e-300, 123456.789])
def test_ranges_at_a_cut_leave_nothing_out_and_count_nothing_twice(cut: float) -> None:
    below, above, at_least, at_most = (
        from_terms([f"metric.m={text(cut)}"]).metrics[0][1:]
        for text in (range_below, range_above, range_from, range_up_to)
    )
    assert below == (-math.inf, math.nextafter(cut, -math.inf))
    assert above == (math.nextafter(cut, math.inf), math.inf)
    assert at_least == (cut, math.inf)
    assert at_most == (-math.inf, cut)


@pytest.mark.parametrize("cut", [0.6, 1 / 3, 0.7234567890123456, 0.0, -2.5, 1.0, 123456.789])
@pytest.mark.parametrize("off", [-1e-6, -2e-9, -5e-10, 0.0, 5e-10, 2e-9, 1e-6])
def test_score_within_the_slack_of_a_cut_is_at_it_in_a_filter_too(cut: float, off: float) -> None:
    score = cut + off

    def holds(text: Callable[[float], str]) -> bool:
        # Through the text of an address and back, as a link is opened.
        wanted = from_terms(from_terms([f"metric.m={text(cut)}"]).terms())
        low, high = compared(*wanted.metrics[0][1:])
        return low <= score <= high

    assert holds(range_from) == (off >= -1e-9)
    assert holds(range_below) == (off < -1e-9)
    assert holds(range_up_to) == (off <= 1e-9)
    assert holds(range_above) == (off > 1e-9)


def test_end_that_does_not_belong_survives_a_copy() -> None:
    ((_, low, high),) = from_terms(["metric.m=>0.1234567890123456..<2"]).metrics
    for end in (low, high):
        again = pickle.loads(pickle.dumps(end))  # noqa: S301
        assert (again, again.at) == (end, end.at)


def test_range_below_a_short_number_is_written_as_that_number() -> None:
    assert (range_below(0.6), range_above(4.0)) == ("..<0.6", ">4.0..")


def test_part_of_a_split_is_train_dev_or_test() -> None:
    assert from_terms(["part.faithful=dev"]).parts == (("faithful", "dev"),)
    with pytest.raises(BadInputError, match=r"part.faithful=all must be one of train, dev, test"):
        from_terms(["part.faithful=all"])


def test_raters_are_equal_or_differ() -> None:
    wanted = from_terms([r"raters.k\=5=differ"])
    assert wanted.raters == (("k=5", "differ"),)
    assert wanted.terms() == [r"raters.k\=5=differ"]
    with pytest.raises(BadInputError, match=r"must be one of equal, differ"):
        from_terms(["raters.ok=agree"])


@pytest.mark.parametrize(
    ("value", "low", "high", "kept"),
    [
        ("2", 2, 2, "2"),
        ("2..2", 2, 2, "2"),
        ("0..1", 0, 1, "0..1"),
        ("4..", 4, math.inf, "4.."),
        ("..3", -math.inf, 3, "..3"),
    ],
)
def test_counts_and_ranks_are_a_number_or_a_range(
    value: str, low: float, high: float, kept: str
) -> None:
    wanted = from_terms([f"evidence.rank={value}"])
    assert wanted.evidence == (("rank", low, high),)
    assert wanted.terms() == [f"evidence.rank={kept}"]


def test_ranks_of_a_pair_are_named_in_either_order() -> None:
    assert from_terms(["same_words.3+1=0.8.."]).terms() == ["same_words.1+3=0.8.."]


@pytest.mark.parametrize(
    "term",
    ["metric.m=0.5", "metric.m=x..", "metric.m=nan..", "metric.m=..inf", "score.groundedness=<1.."],
)
def test_a_range_that_is_none_is_refused_by_name(term: str) -> None:
    with pytest.raises(BadInputError) as error:
        from_terms([term])
    assert term in str(error.value)


def test_score_of_no_triad_axis_points_to_metric() -> None:
    with pytest.raises(BadInputError, match=r"write metric.rouge_l="):
        from_terms(["score.rouge_l=0..1"])


ends = st.floats(-1e300, 1e300) | st.sampled_from([0.6, 0.1, 4.0])


@given(ends, ends)
def test_terms_of_a_range_are_read_back_as_the_same_filter(low: float, high: float) -> None:
    for bounds in ((low, high), (-math.inf, high), (math.nextafter(low, math.inf), math.inf)):
        wanted = SampleFilter(metrics=(("m", *bounds),))
        assert from_terms(wanted.terms()) == wanted


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("k=5", r"tag.k\=5=yes"),
        ("=", r"tag.\==yes"),
        ("a\\", r"tag.a\\=yes"),
        ("a\\=b", r"tag.a\\\=b=yes"),
        ("a..b", "tag.a..b=yes"),
        (".", "tag..=yes"),
        ("<0.5", "tag.<0.5=yes"),
    ],
)
def test_a_name_may_hold_what_means_something_in_a_term(name: str, term: str) -> None:
    wanted = SampleFilter(tags=((name, "yes"),))
    assert wanted.terms() == [term]
    assert from_terms([term]) == wanted
    assert split_term(term) == ("tag", name, "yes")


def test_a_backslash_before_any_other_sign_stands_for_itself() -> None:
    assert from_terms([r"tag.a\b=yes"]).tags == (("a\\b", "yes"),)


def test_a_name_without_a_value_is_no_filter() -> None:
    with pytest.raises(BadInputError, match="is no filter"):
        from_terms([r"tag.a\=yes"])


def test_a_range_of_a_score_with_a_range_in_its_name() -> None:
    wanted = from_terms([r"metric.f1..k\=<5=..<0.6"])
    ((name, low, high),) = wanted.metrics
    assert (name, low) == ("f1..k=<5", -math.inf)
    assert 0.6 - 1e-12 < high < 0.6
    assert from_terms(wanted.terms()) == wanted
