import subprocess
import sys
from math import isclose, log, sqrt
from pathlib import Path
from typing import Any

import pytest

from core.judge.lexical_cuts import SENTENCE_CUT
from core.judge.offline import (
    MAX_LISTED,
    METRICS,
    SPEC,
    TermWeights,
    fit,
    judge_sample,
    refusal_verdict,
)
from core.judge.relevance import kind_fits
from core.judge.support import MAX_UNITS, claims
from core.judge.terms import stem, terms, words
from core.model import Axis, Cause, Context, JudgeKind, SampleText, Status, Verdict

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parents[1] / "golden" / "faithful.jsonl"
FLAT = fit([])
# Without a text only the prior of 20 texts speaks: 16 of them hold a stop word, none another term.
CONTENT_WEIGHT = 1 + log(21 / 1)
STOP_WEIGHT = 1 + log(21 / 17)


def sample(
    question: str = "",
    answer: str | None = "",
    contexts: list[str | None] | None = None,
    references: tuple[str, ...] = (),
    refused: bool | None = None,
) -> SampleText:
    ranked = None if contexts is None else [Context(n, text) for n, text in enumerate(contexts, 1)]
    return SampleText(7, "s", question, answer, ranked, references, refused)


def verdict(metric: str, text: SampleText, weights: TermWeights = FLAT) -> Verdict:
    (only,) = judge_sample(text, weights, (metric,))
    assert only.metric == metric
    assert only.position == 7
    assert only.reasoning
    return only


def value(metric: str, text: SampleText, weights: TermWeights = FLAT) -> float:
    found = verdict(metric, text, weights)
    assert found.status is Status.VALUE
    assert found.value is not None
    return found.value


def detail(metric: str, text: SampleText) -> dict[str, Any]:
    found = verdict(metric, text).detail
    assert found is not None
    return dict(found)


# --- the judge as such ----------------------------------------------------------------------------


def test_the_spec_names_the_judge_and_its_settings() -> None:
    assert (SPEC.kind, SPEC.model) == (JudgeKind.OFFLINE, "lexical-v1")
    assert SPEC.params["sentence_cut"] == SENTENCE_CUT.value


def test_one_verdict_per_wanted_axis_in_the_order_of_the_axes() -> None:
    found = judge_sample(sample("Red?", "Red.", ["Red."], ("Red",)), FLAT, ["refusal", "adherence"])
    assert [one.metric for one in found] == ["adherence", "refusal"]
    everything = judge_sample(sample("Red?", "Red.", ["Red."], ("Red",)), FLAT)
    assert [one.metric for one in everything] == list(METRICS) == [axis.value for axis in Axis]


def test_names_that_are_no_axis_are_passed_over() -> None:
    assert judge_sample(sample("Red?", "Red."), FLAT, ["faithfulness"]) == []


def test_the_judge_loads_nothing_heavy() -> None:
    code = (
        "import sys, core.judge.offline;"
        "print([name for name in ('scipy', 'sklearn', 'pandas', 'litellm', 'duckdb')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


# --- terms ----------------------------------------------------------------------------------------


def test_weights_of_a_run() -> None:
    weights = fit(["Red lamp.", "The lamp", "lamps"])
    # 3 texts; "lamp" is in all of them, "red" in one, "bell" in none, "the" in one.
    assert weights("lamp") == 1 + log((3 + 21) / (3 + 1))
    assert weights("red") == 1 + log(24 / 2)
    assert weights("bell") == 1 + log(24 / 1)
    assert weights("the") == 1 + log(24 / (1 + 16 + 1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("charging", "charged"),
        ("battery", "batteries"),
        ("key", "keys"),
        ("Lampe", "Lampen"),
        ("rossa", "rossi"),
        ("bicicleta", "bicicletas"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_stop_words_digits_and_long_words_keep_their_form() -> None:
    assert [stem("these"), stem("2000s"), stem("gas")] == ["these", "2000s", "gas"]
    assert len(stem("x" * 1000)) == 64


def test_phrases_without_spaces_are_compared_by_pairs_of_characters() -> None:
    assert words("カメラ") == ["カメ", "メラ"]
    assert words("你好 ok") == ["你", "好", "ok"]


# --- context relevance ----------------------------------------------------------------------------


def test_context_relevance_is_that_of_the_best_context() -> None:
    text = sample("red lamp", contexts=["A red lamp burns.", "The lamp is old.", None])
    # Context 1 holds both words and the pair: 1. Context 2 holds one of two equal weights and no
    # pair: 0.9 * 1/2 + 0.1 * 0 = 0.45. Context 3 has no text: 0.
    found = verdict("context_relevance", text)
    assert found.value == 1.0
    assert found.detail == {
        "contexts": [
            {"rank": 1, "score": 1.0},
            {"rank": 2, "score": 0.45},
            {"rank": 3, "score": 0.0},
        ],
        "mean": 0.483333,  # 1.45 / 3
    }


def test_context_relevance_weighs_by_the_square() -> None:
    text = sample("the lamp", contexts=["lamp"])
    share = CONTENT_WEIGHT**2 / (CONTENT_WEIGHT**2 + STOP_WEIGHT**2)
    # The only pair (the, lamp) is missing.
    assert isclose(value("context_relevance", text), 0.9 * share, abs_tol=1e-6)


def test_context_relevance_names_the_words_that_no_context_holds() -> None:
    text = sample("Where is the towing hook?", contexts=["The hook is red.", "Nothing."])
    reason = verdict("context_relevance", text).reasoning
    assert reason is not None
    assert reason.endswith("in no context: towing.")


def test_nothing_retrieved_is_low_by_rule() -> None:
    found = verdict("context_relevance", sample("Red?", "Red.", []))
    assert (found.status, found.value, found.cause) == (Status.VALUE, 0.0, Cause.NO_CONTEXTS)


# --- groundedness and adherence -------------------------------------------------------------------


def test_groundedness_of_one_sentence() -> None:
    text = sample(answer="Red lamps burn brightly.", contexts=["A red lamp burned."])
    # Terms red, lamp, burn, brightl; the context holds red, lamp, burn: 3/4 of equal weights.
    # Pairs (red, lamp), (lamp, burn), (burn, brightl): 2/3. At one place: sqrt(.9*.75 + .1*2/3).
    # Anywhere in the same form: only "red" of red, lamps, burn, brightly: 1/4.
    expected = (sqrt(0.9 * 3 / 4 + 0.1 * 2 / 3) + 1 / 4) / 2
    assert isclose(value("groundedness", text), expected, abs_tol=1e-6)
    # The answer as one text is the same one sentence.
    assert isclose(value("adherence", text), expected, abs_tol=1e-6)


def test_groundedness_is_the_mean_over_sentences_and_lists_the_unsupported() -> None:
    answer = "The lamp burns red wax. Seven pilots praised its colour."
    text = sample(answer=answer, contexts=["Nothing here.", "The lamp burns red wax."])
    found = detail("groundedness", text)
    first, second = found["sentences"]
    assert (first["start"], first["end"], first["support"], first["rank"]) == (0, 23, 1.0, 2)
    assert (second["start"], second["end"], second["support"]) == (24, 56, 0.0)
    assert second["rank"] is None
    assert found["unsupported"] == [
        {"start": 24, "end": 56, "text": "Seven pilots praised its colour."}
    ]
    assert (found["n_sentences"], found["n_unsupported"]) == (2, 1)
    assert value("groundedness", text) == 0.5


def test_a_window_is_three_sentences_of_one_context() -> None:
    answer = "red lamp oil wick"
    near = ["Red. Lamp. Oil wick."]
    far = ["Red. Lamp. None. Oil wick."]
    split = ["Red. Lamp.", "Oil wick."]
    found = [
        detail("groundedness", sample(answer=answer, contexts=[*contexts]))["sentences"][0]
        for contexts in (near, far, split)
    ]
    # The words stand anywhere: 1 each time. At one place: all four terms; three of them (lamp,
    # oil, wick); two (oil, wick). Of the three pairs only (oil, wick) stands in one sentence.
    for one, n_terms in zip(found, (4, 3, 2), strict=True):
        expected = (sqrt(0.9 * n_terms / 4 + 0.1 / 3) + 1) / 2
        assert isclose(one["support"], expected, abs_tol=1e-6)
    assert found[2]["rank"] == 2


def test_a_word_of_several_sentences_counts_in_each_for_its_part() -> None:
    answer = "Larch lamps glow green. Larch lamps float upward."
    found = detail("groundedness", sample(answer=answer, contexts=["Larch lamps."]))
    # At one place: larch and lamp of four equal terms and one pair of three: .9 * 2/4 + .1 * 1/3.
    # Anywhere: larch and lamps count 1/2 each, the two others 1 each: 1 of 3.
    expected = (sqrt(0.9 / 2 + 0.1 / 3) + 1 / 3) / 2
    for one in found["sentences"]:
        assert isclose(one["support"], expected, abs_tol=1e-6)


def test_short_sentences_are_judged_with_their_neighbours() -> None:
    text = "Yes. It has a lamp, a bell and a lock. Options:\n- red\n- green\nOk."
    assert [text[slice(*claim.span)] for claim in claims(text)] == [
        "Yes. It has a lamp, a bell and a lock.",
        "Options:\n- red\n- green\nOk.",
    ]


def test_numbers_in_no_context_are_told_beside_the_score() -> None:
    text = sample(answer="The lamp weighs 21 kg and 300 g.", contexts=["The lamp weighs 300 g."])
    assert detail("groundedness", text)["sentences"][0]["absent_numbers"] == ["21"]


def test_a_long_answer_lists_its_first_sentences_and_counts_all() -> None:
    answer = " ".join(f"Lamp {n} burns bright wax." for n in range(MAX_LISTED + 50))
    found = detail("groundedness", sample(answer=answer, contexts=["Nothing."]))
    assert len(found["sentences"]) == len(found["unsupported"]) == MAX_LISTED
    assert found["n_sentences"] == found["n_unsupported"] == MAX_LISTED + 50


def test_sentences_are_joined_where_contexts_have_very_many() -> None:
    context = " ".join(f"Item {n} is here." for n in range(MAX_UNITS + 1)) + " The wick glows red."
    text = sample(answer="The wick glows red.", contexts=[context])
    assert value("groundedness", text) == 1.0


@pytest.mark.parametrize(
    ("answer", "n_bad", "beginning"),
    [
        ("The wick glows red.", 0, "The answer's only sentence finds support"),
        ("Pilots praise every colour.", 1, "The answer's only sentence finds too little"),
        ("The wick glows red. Wick glows so red.", 0, "Both sentences find support"),
        ("The wick glows red. Pilots praise every colour.", 1, "1 of 2 sentences finds too little"),
        ("Pilots praise every colour. Queens hate dull paint.", 2, "Both sentences find too"),
    ],
)
def test_the_reason_counts_sentences(answer: str, n_bad: int, beginning: str) -> None:
    found = verdict("groundedness", sample(answer=answer, contexts=["The wick glows so red."]))
    assert found.detail is not None
    assert found.detail["n_unsupported"] == n_bad
    assert found.reasoning is not None
    assert found.reasoning.startswith(beginning)


# --- answer relevance -----------------------------------------------------------------------------


def test_answer_relevance_is_what_the_answer_takes_up_of_the_question() -> None:
    # One of two equal weights, no pair: 0.9 / 2.
    assert value("answer_relevance", sample("red lamp", "The lamp is old and heavy.")) == 0.45
    assert value("answer_relevance", sample("red lamp", "A red lamp.")) == 1.0
    assert value("answer_relevance", sample("red lamp", "")) == 0.0


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("How many gears does it have?", "11", "number"),
        ("Wann wurde es gebaut?", "Im Jahr 2015.", "number"),
        ("Combien pèse-t-il ?", "21 kg", "number"),
        ("它有多少个齿轮？", "11个", "number"),
        ("Is it heavy?", "No, it is not.", "yes_no"),
        ("¿Es pesada?", "Sí.", "yes_no"),
        ("Who built it?", "Yes.", None),
        ("Who built it?", "In 2015", None),
        ("How many gears does it have?", "Many.", None),
        ("How many?", "It is a long story that begins in 1999 with a man", None),
        ("", "Yes", None),
        ("Is it heavy?", "", None),
    ],
)
def test_a_short_answer_may_fit_the_kind_of_question(
    question: str, answer: str, kind: str | None
) -> None:
    assert kind_fits(question, answer) == kind


def test_a_short_answer_of_the_right_kind_is_at_least_half_relevant() -> None:
    found = verdict("answer_relevance", sample("How many gears does it have?", "11"))
    assert (found.value, found.detail) == (0.5, {"kind": "number"})


# --- refusal --------------------------------------------------------------------------------------


def test_refusal_verdicts() -> None:
    yes = refusal_verdict(3, "I don't know.")
    assert (yes.position, yes.value, yes.cause) == (3, 1.0, None)
    assert yes.detail == {"pattern": "I do not know", "language": "en"}
    no = refusal_verdict(3, "It is red.")
    assert (no.value, no.cause, no.detail) == (0.0, None, None)
    partial = refusal_verdict(3, "It is red. I do not have information about its weight.")
    assert partial.value == 0.0
    assert partial.detail == {
        "pattern": "I have no information",
        "language": "en",
        "partial": True,
    }


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_a_refusal_with_its_cause(answer: str) -> None:
    found = refusal_verdict(3, answer)
    assert (found.status, found.value, found.cause) == (Status.VALUE, 1.0, Cause.EMPTY)


# --- undefined ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "text", "cause"),
    [
        ("context_relevance", sample("Red?", "Red.", None), Cause.CONTEXTS_NOT_RECORDED),
        ("context_relevance", sample("?!", "Red.", ["Red."]), Cause.EMPTY),
        ("groundedness", sample("Red?", "Red.", None), Cause.CONTEXTS_NOT_RECORDED),
        ("groundedness", sample("Red?", "Red.", []), Cause.NO_CONTEXTS),
        ("groundedness", sample("Red?", None, ["Red."]), Cause.NO_ANSWERS),
        ("groundedness", sample("Red?", "Yes.", ["Red."]), Cause.NO_CLAIMS),
        ("groundedness", sample("Red?", "?!", ["Red."]), Cause.NO_CLAIMS),
        ("groundedness", sample("Red?", "", ["Red."]), Cause.REFUSAL),
        ("groundedness", sample("Red?", "Red lamp.", ["Red."], refused=True), Cause.REFUSAL),
        ("adherence", sample("Red?", "Red.", None), Cause.CONTEXTS_NOT_RECORDED),
        ("adherence", sample("Red?", "Red.", []), Cause.NO_CONTEXTS),
        ("adherence", sample("Red?", None, ["Red."]), Cause.NO_ANSWERS),
        ("adherence", sample("Red?", "It is.", ["Red."]), Cause.NO_CLAIMS),
        ("answer_relevance", sample("Red?", None), Cause.NO_ANSWERS),
        ("answer_relevance", sample("", "Red."), Cause.EMPTY),
        ("refusal", sample("Red?", None), Cause.NO_ANSWERS),
        ("correctness", sample("Red?", None, references=("Red",)), Cause.NO_ANSWERS),
        ("correctness", sample("Red?", "Red."), Cause.NO_REFERENCE),
        ("correctness", sample("Red?", "Red.", references=(" ",)), Cause.NO_REFERENCE),
    ],
)
def test_not_applicable_with_its_cause(metric: str, text: SampleText, cause: Cause) -> None:
    found = verdict(metric, text)
    assert (found.status, found.value, found.cause) == (Status.NOT_APPLICABLE, None, cause)


def test_a_refusal_keeps_adherence_and_answer_relevance() -> None:
    text = sample("Where is the hook?", "I cannot find the hook.", ["The hook."], refused=True)
    assert value("adherence", text) > 0
    assert value("answer_relevance", text) > 0


def test_a_refusal_that_is_not_known_yet_is_judged() -> None:
    text = sample("Where is the hook?", "I cannot find the hook.", ["The hook."], refused=None)
    assert verdict("groundedness", text).status is Status.VALUE


@pytest.mark.parametrize(
    "monster",
    [
        "x" * 1_000_000,
        "\x00" * 1_000_000,
        "!?." * 300_000,
        "the " * 250_000,
        "Lamp 7 burns red wax. " * 45_000,
        "1,234.5 " * 120_000,
        "مرحبا بالعالم؟ " * 60_000,
        "灯" * 200_000,
    ],
    ids=["word", "nul", "stops", "stop words", "sentences", "numbers", "arabic", "ideographs"],
)
def test_a_million_characters(monster: str) -> None:
    text = sample("How many?", monster, [monster], (monster,))
    found = judge_sample(text, fit([monster]), METRICS)
    assert len(found) == len(METRICS)
    assert all(one.status is not Status.ERROR for one in found)
