"""The definitions cover everything that the program computes with, and can be searched."""

import pytest

from core.diagnosis.contradictions import CONTRADICTIONS
from core.diagnosis.cue_summary import GAPS
from core.diagnosis.headline import HEADLINES
from core.diagnosis.modes import FLAGS, MODES
from core.diagnosis.quadrants import EXTENDED, PUBLISHED
from core.judge.lexical_cuts import CUTS
from core.metrics.registry import METRICS
from core.metrics.statistic_words import STATISTICS, explain
from core.model import Cause, ErrorKind, Mode, Status
from core.workflows.definitions import Entry, Kind, entries, search


def of(kind: Kind) -> dict[str, Entry]:
    return {entry.id: entry for entry in entries() if entry.kind is kind}


def facts(entry: Entry) -> dict[str, str]:
    return dict(entry.facts)


def test_nothing_of_the_registry_is_left_out() -> None:
    assert set(of(Kind.METRIC)) == set(METRICS)
    assert set(of(Kind.MODE)) == set(MODES)
    assert set(of(Kind.QUADRANT)) == set(PUBLISHED)
    assert set(of(Kind.EXTENDED)) == set(EXTENDED)
    assert set(of(Kind.CONTRADICTION)) == set(CONTRADICTIONS)
    assert set(of(Kind.RATE)) == {*HEADLINES, *GAPS}
    assert set(of(Kind.STATISTIC)) == set(STATISTICS)
    assert set(of(Kind.FLAG)) == set(FLAGS)
    assert set(of(Kind.STATE)) == {*Status, "not_scored"}
    causes = [entry.id for entry in entries() if entry.kind is Kind.CAUSE]
    assert sorted(causes) == sorted([*Cause, *ErrorKind])


@pytest.mark.parametrize("metric", METRICS)
def test_metric_says_formula_range_cut_needs_and_source(metric: str) -> None:
    entry = of(Kind.METRIC)[metric]
    spec = METRICS[metric]
    said = facts(entry)
    assert {"Formula", "Range", "High from", "Needs", "Undefined when", "Source"} <= set(said)
    ends = f"{spec.lo:g} to {spec.hi:g}, " if spec.scale.is_known else f"{spec.lo:g} and more, "
    assert said["Range"].startswith(ends)
    for alias in spec.aliases:
        assert f"{alias.tool}: {alias.name}" in said["In other tools"]


@pytest.mark.parametrize("metric", CUTS)
def test_shipped_cut_says_data_and_figures(metric: str) -> None:
    cut = CUTS[metric]
    said = facts(of(Kind.METRIC)[metric])["High from, lexical-v1"]
    assert said.startswith(f"≥ {cut.value:g}: ")
    assert cut.data in said
    assert cut.target in said
    assert cut.date in said


def test_lower_is_better_has_a_mirrored_cut() -> None:
    # 0 to 1, cut 0.70: mirrored 0 + 1 - 0.70 = 0.30
    said = facts(of(Kind.METRIC)["noise_sensitivity_rel"])
    assert said["Range"] == "0 to 1, lower is better"
    assert said["High from"].startswith("≤ 0.3: ")
    assert "mirrored" in said["High from"]


def test_default_cuts_of_the_scales() -> None:
    cuts = {name: facts(entry)["High from"] for name, entry in of(Kind.METRIC).items()}
    assert cuts["groundedness_rubric"].startswith("≥ 4: ")
    assert cuts["faithfulness"].startswith("≥ 0.7: ")
    assert cuts["context_relevance_dual"].startswith("≥ 0.75: ")
    assert cuts["context_relevance_binary"].startswith("≥ 1: ")


def test_mode_says_rule_outcome_and_every_fix() -> None:
    said = facts(of(Kind.MODE)["hallucination"])
    assert said["Rule"] == MODES[Mode.HALLUCINATION].rule
    assert said["Outcome"] == "counts as a failure"
    fixes = [text for name, text in said.items() if name.startswith("Fix ")]
    assert fixes == list(MODES[Mode.HALLUCINATION].fixes)


def test_quadrant_says_which_published_one_it_is_part_of() -> None:
    said = facts(of(Kind.EXTENDED)["ungrounded_error"])
    assert said["Published as"] == "Correct rejection"


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ("faithfulness", "faithfulness"),
        ("Contextual Relevancy", "context_relevance_ratio"),  # DeepEval's name
        ("answer_relevancy ragas", "answer_relevancy_embed"),
        ("lucky", "lucky_guess"),
        ("TIMED out", "timeout"),
        ("rate limit", "rate_limit"),
        ("borderline", "borderline"),
    ],
)
def test_search_finds_names_of_ours_and_of_other_tools(wanted: str, first: str) -> None:
    assert search(entries(), wanted)[0].id == first


def test_search_without_words_finds_everything() -> None:
    assert search(entries(), "  ") == entries()


def test_search_for_what_is_not_there_finds_nothing() -> None:
    assert search(entries(), "faithfulness zebra") == ()


def test_every_figure_of_calibration_and_agreement_has_a_formula_and_is_found_by_name() -> None:
    for spec in STATISTICS.values():
        assert spec.formula
        assert search(entries(), spec.name)[0].id == spec.id
    assert explain("kappa", "f1").startswith("**Cohen's κ.** How far two agree beyond")
