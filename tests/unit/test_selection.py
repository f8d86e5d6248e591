import pytest

from core.diagnosis.selection import Candidate, Choice, select
from core.model import Axis, JudgeKind

N = 100
G = Axis.GROUNDEDNESS


def _candidate(
    judge_id: str,
    kind: JudgeKind,
    n: int = N,
    *,
    metric: str = "groundedness_rubric",
    axis: Axis = G,
    n_value: int | None = None,
    newest_at: float = 1,
) -> Candidate:
    n_value = n if n_value is None else n_value
    return Candidate(axis, metric, judge_id, kind, "model", n, n_value, newest_at)


# In the order of the rules; each one wins over all after it.
ORDER = [
    _candidate("llm-all", JudgeKind.LLM),
    _candidate("imported-all", JudgeKind.IMPORTED),
    _candidate("imported-some", JudgeKind.IMPORTED, 60),
    _candidate("offline-all", JudgeKind.OFFLINE),
    _candidate("llm-some", JudgeKind.LLM, 60),
    _candidate("offline-some", JudgeKind.OFFLINE, 60),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_order_of_kinds(first: int) -> None:
    choice = select(reversed(ORDER[first:]), N)[G]
    assert choice.judge_id == ORDER[first].judge_id
    assert choice.complete == (ORDER[first].n_any_status == N)
    assert choice.source == "default"


def test_complete_means_a_verdict_of_any_status_for_every_sample() -> None:
    with_errors = _candidate("llm", JudgeKind.LLM, N, n_value=40)
    assert select([with_errors, ORDER[1]], N)[G].judge_id == "llm"


def test_an_offline_run_never_displaces_imported_scores() -> None:
    offline = _candidate("offline", JudgeKind.OFFLINE, metric="groundedness", newest_at=99)
    imported = _candidate("file", JudgeKind.IMPORTED, 1, metric="groundedness")
    assert select([offline, imported], N)[G].judge_id == "file"


def test_a_judge_that_could_say_nothing_hides_no_scores() -> None:
    # no contexts recorded: the model answers not_applicable throughout, the file has scores
    silent = _candidate("llm", JudgeKind.LLM, N, n_value=0)
    imported = _candidate("file", JudgeKind.IMPORTED, 60)
    assert select([silent, imported], N)[G].judge_id == "file"
    assert select([silent], N)[G].judge_id == "llm"


def test_within_a_kind_the_preference_list_wins_over_the_newest() -> None:
    older = _candidate("a", JudgeKind.LLM, metric="faithfulness", newest_at=1)
    newer = _candidate("b", JudgeKind.LLM, metric="faithfulness_contradiction", newest_at=2)
    assert select([newer, older], N)[G].judge_id == "a"


def test_within_a_metric_the_newest_wins() -> None:
    older = _candidate("a", JudgeKind.LLM, newest_at=1)
    newer = _candidate("b", JudgeKind.LLM, newest_at=2)
    assert select([older, newer], N)[G].judge_id == "b"


def test_a_metric_that_a_person_assigned_comes_after_the_listed_ones() -> None:
    own = _candidate("a", JudgeKind.IMPORTED, metric="my_score", newest_at=9)
    named = _candidate("b", JudgeKind.IMPORTED, metric="groundedness")
    assert select([own, named], N)[G].metric == "groundedness"
    assert select([own], N)[G].metric == "my_score"


def test_saved_choice_wins() -> None:
    saved = {G: ("groundedness_rubric", "offline-some")}
    assert select(ORDER, N, saved)[G] == Choice(
        G, "groundedness_rubric", "offline-some", JudgeKind.OFFLINE, False, "saved"
    )


def test_saved_choice_that_is_gone_falls_back_to_the_default() -> None:
    choice = select(ORDER, N, {G: ("groundedness_rubric", "deleted")})[G]
    assert (choice.judge_id, choice.source) == ("llm-all", "default")


def test_axes_are_chosen_independently_and_one_without_candidates_has_no_entry() -> None:
    refusal = _candidate("pattern", JudgeKind.OFFLINE, metric="refusal", axis=Axis.REFUSAL)
    correct = _candidate("file", JudgeKind.IMPORTED, metric="correctness", axis=Axis.CORRECTNESS)
    choices = select([refusal, correct], N)
    assert {axis: one.judge_id for axis, one in choices.items()} == {
        Axis.REFUSAL: "pattern",
        Axis.CORRECTNESS: "file",
    }


def test_a_model_that_judged_refusal_wins_over_the_patterns() -> None:
    pattern = _candidate("p", JudgeKind.OFFLINE, metric="refusal", axis=Axis.REFUSAL, newest_at=9)
    model = _candidate("m", JudgeKind.LLM, metric="refusal", axis=Axis.REFUSAL)
    assert select([pattern, model], N)[Axis.REFUSAL].judge_id == "m"


def test_adherence_follows_groundedness_where_there_is_none() -> None:
    choice = select([ORDER[0]], N)[Axis.ADHERENCE]
    assert (choice.axis, choice.metric, choice.judge_id) == (
        Axis.ADHERENCE,
        "groundedness_rubric",
        "llm-all",
    )
    assert choice.is_proxy
    assert not select([ORDER[0]], N)[G].is_proxy


def test_adherence_of_its_own_is_no_proxy() -> None:
    own = _candidate("o", JudgeKind.OFFLINE, 1, metric="adherence", axis=Axis.ADHERENCE)
    choice = select([ORDER[0], own], N)[Axis.ADHERENCE]
    assert (choice.judge_id, choice.is_proxy) == ("o", False)


def test_a_run_without_samples_has_no_complete_set() -> None:
    assert not select([_candidate("a", JudgeKind.LLM, 0)], 0)[G].complete
