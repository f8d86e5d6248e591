from hypothesis import given
from hypothesis import strategies as st

from core.metrics.claim_labels import ClaimLabels, claim_rates, claim_scores

labels = st.sampled_from([0, 1, None])


@st.composite
def claim_labels(draw: st.DrawFn) -> ClaimLabels:
    width = draw(st.integers(0, 4))
    rows = st.lists(st.tuples(labels, st.lists(labels, min_size=width, max_size=width)), max_size=6)
    answer, reference = draw(rows), draw(rows)
    return ClaimLabels(
        [label for label, _ in answer],
        [label for label, _ in reference],
        [row for _, row in answer],
        [row for _, row in reference],
        width,
    )


@given(claim_labels())
def test_both_identities_hold_wherever_the_scores_are_defined(sample: ClaimLabels) -> None:
    scores = claim_scores(sample)
    parts = (
        scores.precision,
        scores.noise_sensitivity_rel,
        scores.noise_sensitivity_irr,
        scores.hallucination,
    )
    others = (scores.faithfulness, scores.hallucination, scores.self_knowledge)
    if scores.hallucination is None:
        assert others == (None, None, None)
    else:
        assert abs(sum(part or 0.0 for part in parts) - 1) < 1e-12
        assert abs(sum(other or 0.0 for other in others) - 1) < 1e-12
        assert None not in parts
        assert None not in others


@given(st.lists(claim_labels(), max_size=5))
def test_the_identities_hold_for_runs_too(samples: list[ClaimLabels]) -> None:
    rates = claim_rates(map(claim_scores, samples))
    others = [rates[name] for name in ("faithfulness", "hallucination", "self_knowledge")]
    assert len({rate.n for rate in others}) == 1
    if others[0].n:
        assert abs(sum(rate.value or 0.0 for rate in others) - 1) < 1e-9


@given(claim_labels())
def test_scores_lie_in_0_to_1(sample: ClaimLabels) -> None:
    scores = claim_scores(sample)
    for name in type(scores).__dataclass_fields__:
        value = getattr(scores, name)
        assert name == "n_left_out" or value is None or 0 <= value <= 1
