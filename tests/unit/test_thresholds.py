from dataclasses import dataclass

import pytest

from core.diagnosis.thresholds import (
    Cut,
    ShippedCut,
    is_borderline,
    is_high,
    resolve_cut,
)
from core.errors import BadInputError
from core.metrics.registry import METRICS
from core.metrics.spec import CutRule
from core.model import Direction, JudgeKind, Scale

LOWER = Direction.LOWER


@dataclass(frozen=True)
class _Shipped:
    value: float


SHIPPED: dict[str, dict[str, ShippedCut]] = {"lexical-v1": {"groundedness": _Shipped(0.41)}}


def _cut(metric: str, scale: Scale | None = None, **given: float) -> Cut:
    return resolve_cut(metric, scale, JudgeKind.IMPORTED, "file", **given)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (Scale(1, 5), 4.0),
        (Scale(0, 1), 0.70),
        (Scale(0, 3), 2.0),
        (Scale(-1, 1), 0.70),
        # mirrored: lo + hi - cut
        (Scale(1, 5, LOWER), 2.0),
        (Scale(0, 1, LOWER), 0.30),
        (Scale(0, 3, LOWER), 1.0),
        (Scale(-1, 1, LOWER), -0.70),
        # a known scale without a rule, and unknown scales
        (Scale(0, 10), None),
        (Scale(1, 4), None),
        (Scale(None, None), None),
        (Scale(0, None), None),
    ],
)
def test_default_cut_of_a_files_own_metric_follows_its_scale(
    scale: Scale, expected: float | None
) -> None:
    cut = _cut("my_score", scale)
    assert cut.value == expected
    assert cut.source == ("none" if expected is None else "registry")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("context_relevance_rubric", 4.0),
        ("context_relevance_ratio", 0.70),
        ("context_relevance_dual", 0.75),
        ("context_relevance_binary", 1.0),
        ("groundedness_rubric", 4.0),
        ("faithfulness", 0.70),
        ("answer_relevancy_embed", 0.70),
        ("adherence", 0.70),
        ("refusal", 1.0),
        ("noise_sensitivity_rel", 0.30),
    ],
)
def test_default_cut_of_a_metric_of_ours(metric: str, expected: float) -> None:
    assert _cut(metric).value == expected


def test_every_metric_of_the_registry_has_a_default_cut_within_its_scale() -> None:
    for spec in METRICS.values():
        cut = _cut(spec.id)
        if not spec.scale.is_known:
            assert cut.value is None
            continue
        assert cut.value is not None
        assert spec.lo <= cut.value <= spec.hi


def test_axis_name_on_a_rubric_scale_takes_the_rubrics_cut() -> None:
    assert _cut("groundedness", Scale(1, 5)).value == 4.0


def test_unknown_metric_without_scale_has_no_cut() -> None:
    assert _cut("my_score").source == "none"


def test_address_wins_over_run_and_run_over_registry() -> None:
    both = _cut("faithfulness", run_cut=0.6, override=0.5)
    run = _cut("faithfulness", run_cut=0.6)
    assert (both.value, both.source) == (0.5, "address")
    assert (run.value, run.source) == (0.6, "run")


def test_a_cut_of_zero_is_a_cut() -> None:
    assert (_cut("faithfulness", override=0.0).value, _cut("faithfulness", run_cut=0.0).value) == (
        0.0,
        0.0,
    )


def test_a_given_cut_serves_an_unknown_scale() -> None:
    cut = _cut("my_score", Scale(None, None), override=7)
    assert (cut.value, cut.source, cut.band) == (7.0, "address", None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_cut_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(BadInputError, match="faithfulness"):
        _cut("faithfulness", override=bad)


def test_shipped_cut_belongs_to_its_judge_and_metric() -> None:
    def value(kind: JudgeKind, model: str, metric: str = "groundedness") -> float | None:
        return resolve_cut(metric, Scale(0, 1), kind, model, judge_cuts=SHIPPED).value

    assert value(JudgeKind.OFFLINE, "lexical-v1") == 0.41
    assert value(JudgeKind.OFFLINE, "lexical-v1", "answer_relevance") == 0.70
    assert value(JudgeKind.OFFLINE, "other-v1") == 0.70
    assert value(JudgeKind.IMPORTED, "lexical-v1") == 0.70


def test_run_cut_wins_over_a_shipped_cut() -> None:
    cut = resolve_cut(
        "groundedness", Scale(0, 1), "offline", "lexical-v1", run_cut=0.9, judge_cuts=SHIPPED
    )
    assert (cut.value, cut.source) == (0.9, "run")


@pytest.mark.parametrize(
    ("value", "direction", "expected"),
    [
        (0.70, Direction.HIGHER, True),
        (0.6999, Direction.HIGHER, False),
        (0.0, Direction.HIGHER, False),
        (0.6999999999, Direction.HIGHER, True),  # noise of a computed score
        (0.30, LOWER, True),
        (0.3000000001, LOWER, True),
        (0.3001, LOWER, False),
        (0.0, LOWER, True),
        (None, Direction.HIGHER, None),
    ],
)
def test_is_high_means_on_the_good_side_or_at_the_cut(
    value: float | None, direction: Direction, expected: bool | None
) -> None:
    assert is_high(value, _cut("my_score", Scale(0, 1, direction))) is expected


def test_is_high_without_a_cut_is_unknown() -> None:
    assert is_high(3.0, _cut("my_score", Scale(None, None))) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(0.65, True), (0.75, True), (0.7, True), (0.64, False), (0.76, False)]
)
def test_borderline_is_within_a_twentieth_of_the_scale(value: float, expected: bool) -> None:
    assert is_borderline(value, _cut("faithfulness")) is expected


def test_borderline_band_of_a_cosine_spans_its_whole_scale() -> None:
    # 5 % of the width 2 of [-1, 1] = 0.1 on either side of 0.70
    cut = _cut("answer_relevancy_embed")
    assert cut.band == 0.1
    assert is_borderline(0.61, cut)
    assert not is_borderline(0.59, cut)


@pytest.mark.parametrize("metric", ["groundedness_rubric", "refusal", "context_relevance_dual"])
def test_a_score_in_steps_at_its_cut_is_no_close_call(metric: str) -> None:
    cut = _cut(metric)
    assert cut.band is None
    assert not is_borderline(cut.value, cut)


def test_rule_tells_the_shape_of_the_scale() -> None:
    assert _cut("groundedness_rubric").rule is CutRule.RUBRIC
    assert _cut("my_score", Scale(0, 1)).rule is CutRule.RATIO
