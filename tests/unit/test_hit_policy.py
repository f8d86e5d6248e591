"""The hit policy from an option or an address to the figures and the finding."""

import pytest

from core import figures as numbers
from core.diagnosis.retrieval_finding import retrieval_finding
from core.errors import BadInputError
from core.metrics.hits import ALL, ANY, HitPolicy
from core.metrics.retrieval_figures import retrieval_figures
from core.metrics.retrieval_table import RetrievalTable, table_from_matches
from core.workflows.review import View, parse_policy
from dashboard.state import Address


@pytest.fixture
def table() -> RetrievalTable:
    # Sample 0 has two pieces, of which ranks 1 and 2 hold one each; sample 1 has one at rank 2;
    # sample 2 has two pieces and only one of them was retrieved, at rank 1.
    matches = [(0, 1, 0), (0, 2, 1), (1, 2, 2), (2, 1, 3)]
    return table_from_matches([2, 2, 2], [0, 0, 1, 2, 2], [1.0] * 5, matches, [])


@pytest.mark.parametrize(
    ("text", "policy"),
    [(None, ANY), ("", ANY), ("any", ANY), ("all", ALL), ("0.5", HitPolicy(0.5)),
     ("fraction>=0.5", HitPolicy(0.5)), (".5", HitPolicy(0.5)), ("1", ALL), ("0", ANY)],
)  # fmt: skip
def test_policy_as_it_is_written(text: str | None, policy: HitPolicy) -> None:
    assert parse_policy(text) == policy
    assert parse_policy(str(policy)) == policy


@pytest.mark.parametrize("text", ["some", "1.5", "-1", "nan", "fraction", "any>=0.5", "0.5x", "½"])
def test_what_is_no_policy_is_named(text: str) -> None:
    with pytest.raises(BadInputError, match=r"write any, all, or a share from 0 to 1"):
        parse_policy(text)


def test_policy_lives_in_the_address() -> None:
    address = Address.from_params({"run": ["r"], "hit": ["all"]})
    assert address.view() == View(hit_share=1.0)
    assert address.params()["hit"] == "all"
    assert Address.from_params({}).view().hit_share == 0.0
    with pytest.raises(BadInputError):
        Address.from_params({"hit": ["most"]}).view()


def test_hit_rate_follows_the_policy_and_nothing_else_does(table: RetrievalTable) -> None:
    any_of, all_of = retrieval_figures(table), retrieval_figures(table, policy=ALL)
    half = retrieval_figures(table, policy=HitPolicy(0.5))
    # any: rank 1 samples 0 and 2, by rank 2 all three; half: the same; all: by rank 2 samples 0, 1
    assert [any_of.hit_at_k[k].k for k in (1, 2)] == [2, 3]
    assert [half.hit_at_k[k].k for k in (1, 2)] == [2, 3]
    assert [all_of.hit_at_k[k].k for k in (1, 2)] == [0, 2]
    assert any_of.n_several == 2
    # Of the two with several pieces, all of them for sample 0 alone.
    assert (any_of.hit_all_at_k[2].k, any_of.hit_all_at_k[2].n) == (1, 2)
    assert all_of.recall == any_of.recall
    assert all_of.no_hit_rate == any_of.no_hit_rate
    assert (any_of.as_json()["hit_policy"], all_of.as_json()["hit_policy"]) == ("any", "all")
    assert half.as_json()["hit_policy"] == "fraction>=0.5"


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (ANY, "hold evidence"),
        (ALL, "hold all their evidence"),
        (HitPolicy(0.5), "hold 50\u202f% of their evidence"),
    ],
)
def test_finding_says_what_a_hit_needs(
    table: RetrievalTable, policy: HitPolicy, words: str
) -> None:
    finding = retrieval_finding(retrieval_figures(table, policy=policy), numbers, has_contexts=True)
    assert f"the first 2 contexts {words}" in finding.bold
