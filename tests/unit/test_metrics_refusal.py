import pytest

from core.metrics.refusal import RefusalCounts, refusal_accuracy, should_refuse

# delucionqa, all runs: answerable & answered 1823, answerable & refused 23,
# unanswerable & answered 200, unanswerable & refused 232
COUNTS = RefusalCounts(1823, 23, 200, 232)


def test_rates_of_a_run() -> None:
    rates = {
        name: (rate.value, rate.n)
        for name in ("accuracy", "precision", "recall", "over_refusal_rate", "missed_refusal_rate")
        if (rate := getattr(COUNTS, name))
    }
    assert rates == {
        "accuracy": ((1823 + 232) / 2278, 2278),
        "precision": (232 / 255, 255),  # 23 + 232 refusals
        "recall": (232 / 432, 432),  # 200 + 232 unanswerable
        "over_refusal_rate": (23 / 1846, 1846),  # 1823 + 23 answerable
        "missed_refusal_rate": (200 / 432, 432),
    }


def test_rates_without_a_denominator_are_undefined_with_the_reason() -> None:
    answered = RefusalCounts(10, 0, 0, 0)
    assert answered.precision.reason == "no sample was refused"
    assert answered.recall.reason == "no sample should be refused"
    assert RefusalCounts(0, 0, 1, 1).over_refusal_rate.reason == "no sample is answerable"
    assert RefusalCounts(0, 0, 0, 0).accuracy.value is None


@pytest.mark.parametrize(
    ("answerable", "is_out_of_scope", "is_cr_high", "expected"),
    [
        (1, True, False, 0),
        (0, False, True, 1),
        (None, True, True, 1),
        (None, False, False, 0),
        (None, None, False, 1),
        (None, None, True, 0),
        (None, None, None, None),
    ],
)
def test_should_refuse_by_label_else_scope_else_context_relevance(
    answerable: int | None,
    is_out_of_scope: bool | None,
    is_cr_high: bool | None,
    expected: int | None,
) -> None:
    assert should_refuse(answerable, is_out_of_scope, is_cr_high) == expected


@pytest.mark.parametrize(
    ("refusal", "should", "expected"),
    [(1, 1, 1), (0, 0, 1), (1, 0, 0), (0, 1, 0), (None, 1, None), (1, None, None)],
)
def test_refusal_accuracy_of_a_sample(
    refusal: int | None, should: int | None, expected: int | None
) -> None:
    assert refusal_accuracy(refusal, should) == expected
