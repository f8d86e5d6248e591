"""What holds of every verdict of the offline judge, whatever the texts."""

import random
from math import isclose, isfinite

from hypothesis import given
from hypothesis import strategies as st

from core.judge.offline import METRICS, fit, judge_sample, refusal_verdict
from core.judge.refusal import is_refusal
from core.judge.support import claims
from core.judge.terms import words
from core.model import Cause, Context, SampleText, Status, Verdict
from core.text import sentences, token_overlap, tokens

SUPPORTED = ("context_relevance", "groundedness", "adherence")
WORDS = (
    *"red lamp lamps the a burns 21 kg. Not No, I cannot answer! 你好。 über Kamera: 2.5".split(),
    "\n- x",
)
any_text = st.text(max_size=200)
phrases = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
texts = st.one_of(phrases, any_text)
contexts = st.lists(st.one_of(texts, st.none()), max_size=5)


@st.composite
def samples(draw: st.DrawFn, position: int = 0) -> SampleText:
    found = draw(st.one_of(st.none(), contexts))
    return SampleText(
        position=position,
        sample_id=f"s{position}",
        question=draw(texts),
        answer=draw(st.one_of(st.none(), texts)),
        contexts=None if found is None else with_ranks(found),
        references=tuple(draw(st.lists(texts, max_size=2))),
        refused=draw(st.sampled_from([None, True, False])),
    )


def with_ranks(found: list[str | None]) -> list[Context]:
    return [Context(rank, text) for rank, text in enumerate(found, 1)]


def with_contexts(sample: SampleText, found: list[Context]) -> SampleText:
    return SampleText(
        sample.position,
        sample.sample_id,
        sample.question,
        sample.answer,
        found,
        sample.references,
        sample.refused,
    )


def by_metric(found: list[Verdict]) -> dict[str, Verdict]:
    return {verdict.metric: verdict for verdict in found}


@given(samples(), st.lists(texts, max_size=4))
def test_a_verdict_is_a_value_in_its_range_or_a_cause(
    sample: SampleText, corpus: list[str]
) -> None:
    found = judge_sample(sample, fit(corpus))
    assert [verdict.metric for verdict in found] == list(METRICS)
    for verdict in found:
        assert verdict.reasoning
        assert verdict.context_rank is None
        if verdict.status is Status.VALUE:
            assert verdict.value is not None
            assert isfinite(verdict.value)
            assert 0 <= verdict.value <= 1
            assert verdict.cause in (None, Cause.NO_CONTEXTS, Cause.EMPTY)
        else:
            assert verdict.status is Status.NOT_APPLICABLE
            assert verdict.value is None
            assert verdict.cause in set(Cause)


@given(samples(), samples(1), st.lists(texts, max_size=4))
def test_a_verdict_is_the_same_alone_in_any_batch_and_again(
    sample: SampleText, other: SampleText, corpus: list[str]
) -> None:
    alone = judge_sample(sample, fit(corpus))
    weights = fit(corpus)
    batch = [judge_sample(one, weights) for one in (other, sample, other, sample)]
    assert batch[1] == batch[3] == alone
    assert [judge_sample(sample, weights, (metric,))[0] for metric in METRICS] == alone


@given(samples(), contexts, st.randoms(use_true_random=False))
def test_the_order_of_the_contexts_does_not_matter(
    sample: SampleText, found: list[str | None], rng: random.Random
) -> None:
    shuffled = found.copy()
    rng.shuffle(shuffled)
    weights = fit(text or "" for text in found)
    first = by_metric(judge_sample(with_contexts(sample, with_ranks(found)), weights, SUPPORTED))
    second = by_metric(
        judge_sample(with_contexts(sample, with_ranks(shuffled)), weights, SUPPORTED)
    )
    for metric in SUPPORTED:
        assert first[metric].status is second[metric].status
        if first[metric].value is not None:
            # Sums in another order may differ in the last of the six digits that are kept.
            assert isclose(first[metric].value or 0, second[metric].value or 0, abs_tol=2e-6)


@given(samples(), contexts.filter(len), texts, st.lists(texts, max_size=4))
def test_one_more_context_never_lowers_a_support(
    sample: SampleText, found: list[str | None], more: str, corpus: list[str]
) -> None:
    weights = fit(corpus)
    before = by_metric(judge_sample(with_contexts(sample, with_ranks(found)), weights, SUPPORTED))
    after = by_metric(
        judge_sample(with_contexts(sample, with_ranks([*found, more])), weights, SUPPORTED)
    )
    for metric in SUPPORTED:
        if before[metric].value is not None:
            assert (after[metric].value or 0) >= (before[metric].value or 0) - 2e-6


@given(texts)
def test_an_answer_that_is_a_context_is_fully_supported(text: str) -> None:
    sample = SampleText(0, "s", "", text, [Context(1, text)], (), False)
    found = by_metric(judge_sample(sample, fit([]), ("groundedness", "adherence")))
    if found["adherence"].value is not None:
        # Pairs of terms across sentences are not looked at in contexts, but are in the answer.
        assert found["adherence"].value >= 0.5 + 0.5 * 0.9**0.5 - 1e-6
    if found["groundedness"].value is not None:
        assert found["groundedness"].value >= 0.5


@given(samples())
def test_sentences_of_the_detail_point_into_the_answer(sample: SampleText) -> None:
    verdict = judge_sample(sample, fit([]), ("groundedness",))[0]
    if verdict.status is not Status.VALUE:
        return
    answer = sample.answer or ""
    assert verdict.detail is not None
    last = 0
    for entry in verdict.detail["sentences"]:
        assert last <= entry["start"] < entry["end"] <= len(answer)
        last = entry["end"]
        assert 0 <= entry["support"] <= 1
    for entry in verdict.detail["unsupported"]:
        assert answer[entry["start"] : entry["end"]] == entry["text"]
    mean = sum(entry["support"] for entry in verdict.detail["sentences"]) / len(
        verdict.detail["sentences"]
    )
    assert isclose(mean, verdict.value or 0, abs_tol=2e-6)


@given(texts)
def test_claims_hold_every_word_of_the_answer(text: str) -> None:
    found = claims(text)
    if found:
        assert [word for claim in found for word in claim.words] == [
            word for start, end in sentences(text) for word in words(text[start:end])
        ]


@given(any_text)
def test_sentences_hold_everything_but_white_space(text: str) -> None:
    spans = sentences(text)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(not text[start].isspace() and not text[end - 1].isspace() for start, end in spans)


@given(texts, st.lists(texts, max_size=3))
def test_token_overlap_is_a_share_of_distinct_tokens(answer: str, found: list[str]) -> None:
    overlap = token_overlap(answer, found)
    wanted = set(tokens(answer))
    there = {token for text in found for token in tokens(text)}
    if not wanted or not found:
        assert overlap is None
    else:
        assert overlap == len(wanted & there) / len(wanted)


@given(texts)
def test_a_refusal_is_never_partial_and_never_without_a_reason(answer: str) -> None:
    match = is_refusal(answer)
    assert not (match.is_refusal and match.is_partial)
    assert match.is_empty == (not answer.strip())
    assert (match.pattern is None) == (match.is_empty or not (match.is_refusal or match.is_partial))
    assert refusal_verdict(0, answer).value == float(match.is_refusal)
