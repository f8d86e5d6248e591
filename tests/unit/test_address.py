"""A link is a value: what it says comes back from it, and nothing else gets in."""

from urllib.parse import parse_qs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import BadInputError
from core.model import TRIAD, Axis, Mode
from dashboard.state import OPTION_KEYS, Address

# Sorted, as the address bar writes them: the order of cuts has no meaning.
CUT_AXES = (*TRIAD, Axis.CORRECTNESS)
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
hex_ids = st.text("0123456789abcdef", min_size=12, max_size=12)
cuts = st.fixed_dictionaries(
    {},
    optional={axis: st.floats(allow_nan=False, allow_infinity=False) for axis in CUT_AXES},
).map(lambda found: tuple((axis, found[axis]) for axis in CUT_AXES if axis in found))
addresses = st.builds(
    Address,
    run=st.none() | hex_ids,
    baseline=st.none() | hex_ids,
    sample=st.none() | ids,
    terms=st.lists(ids, max_size=4).map(tuple),
    cuts=cuts,
    selection=st.lists(st.tuples(st.sampled_from(Axis), ids, hex_ids), max_size=3).map(tuple),
    slice_by=st.none() | ids,
    options=st.dictionaries(st.sampled_from(OPTION_KEYS), ids).map(
        lambda found: tuple((key, found[key]) for key in OPTION_KEYS if key in found)
    ),
)


@given(addresses)
@example(Address(sample="a/b?c=d&e#f %20+;\u2028ü", terms=("text=$1 & $2", "tag.a=b=c")))
@example(Address(cuts=((Axis.GROUNDEDNESS, 0.1 + 0.2), (Axis.CORRECTNESS, 5e-324))))
@example(Address(selection=((Axis.REFUSAL, "a:b::c", "0123456789ab"),)))
def test_link_read_back_is_the_address(address: Address) -> None:
    arrived = parse_qs(address.query(), keep_blank_values=True)

    assert Address.from_params(arrived) == address


@given(addresses)
def test_link_is_the_same_whatever_way_it_took(address: Address) -> None:
    again = Address.from_params(parse_qs(address.query(), keep_blank_values=True))

    assert again.query() == address.query()


def test_plain_cuts_are_written_as_people_write_them() -> None:
    address = Address(run="0123456789ab", cuts=((Axis.GROUNDEDNESS, 4.0), (Axis.CORRECTNESS, 0.7)))

    assert address.query() == "run=0123456789ab&g=4&c=0.7"


def test_order_in_which_cuts_were_moved_does_not_matter() -> None:
    one = Address(cuts=((Axis.GROUNDEDNESS, 4.0), (Axis.CONTEXT_RELEVANCE, 3.0)))
    other = Address(cuts=((Axis.CONTEXT_RELEVANCE, 3.0), (Axis.GROUNDEDNESS, 4.0)))

    assert one.query() == other.query()


def test_parameters_of_other_origin_are_passed_over() -> None:
    params = {"run": ["0123456789ab"], "utm_source": ["mail"], "embed": ["true"]}

    assert Address.from_params(params) == Address(run="0123456789ab")


def test_empty_parameters_mean_nothing() -> None:
    params = {key: [""] for key in ("run", "vs", "sample", "f", "cr", "judge", "by")}

    assert Address.from_params(params) == Address()


def test_last_of_repeated_parameters_counts() -> None:
    assert Address.from_params({"run": ["one", "two"], "g": ["x", "3"]}) == Address(
        run="two", cuts=((Axis.GROUNDEDNESS, 3.0),)
    )


@pytest.mark.parametrize("text", ["abc", "nan", "inf", "-Infinity", "1e999", "4,5"])
def test_cut_that_is_no_finite_number_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInputError, match=r"address has g=.*must be a number"):
        Address.from_params({"g": [text]})


@pytest.mark.parametrize("text", ["nonsense:0123456789ab:m", "nonsense", ":x:y"])
def test_judge_for_no_axis_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="which is no axis"):
        Address.from_params({"judge": [text]})


def test_term_that_is_no_filter_is_refused_when_it_is_used() -> None:
    address = Address.from_params({"f": ["mode=success", "nonsense"]})

    with pytest.raises(BadInputError, match="'nonsense' is no filter"):
        address.view()


def test_view_holds_cuts_selection_and_filter() -> None:
    address = Address.from_params(
        {"g": ["3"], "judge": ["groundedness:0123456789ab:faithfulness"], "f": ["mode=success"]}
    )

    view = address.view()

    assert view.cuts == ((Axis.GROUNDEDNESS, 3.0),)
    assert view.selection == ((Axis.GROUNDEDNESS, "faithfulness", "0123456789ab"),)
    assert view.wanted.modes == (Mode.SUCCESS,)


def test_option_that_has_to_be_a_number_is_one() -> None:
    assert Address(options=(("at", "0.30000000000000004"),)).number("at") == 0.1 + 0.2
    assert Address().number("at") is None
    with pytest.raises(BadInputError, match="at='high'"):
        Address(options=(("at", "high"),)).number("at")
