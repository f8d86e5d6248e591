"""From names to contracts, prompts and judges; which samples are due; what rules decide alone."""

import pytest

from core.errors import BadInputError
from core.judge.contracts import CONTRACT_OF
from core.judge.llm_rules import by_rule
from core.judge.prompts import PromptSet, load_prompts
from core.judge.settings import LlmSettings
from core.model import Context, SampleText
from core.resources import resource
from core.store.judges import judge_id
from core.workflows.judge_plan import plan
from core.workflows.judge_request import Request
from core.workflows.judge_tasks import hash_share

SETTINGS = LlmSettings("openai/fake", embedding_model="openai/letters")
CONTEXTS = (Context(1, "A text."),)


@pytest.fixture(scope="module")
def prompts() -> PromptSet:
    return load_prompts(resource("prompts"))


def test_all_axes_by_default_each_with_its_own_contract(prompts: PromptSet) -> None:
    parts = plan(prompts, (), SETTINGS)
    assert [part.metrics for part in parts] == [
        ("context_relevance_rubric",),
        ("groundedness_rubric",),
        ("answer_relevance_rubric",),
        ("adherence",),
        ("refusal",),
        ("correctness",),
    ]
    assert len({judge_id(part.judge) for part in parts}) == 6


def test_metrics_of_one_contract_are_asked_for_once(prompts: PromptSet) -> None:
    names = ("faithfulness_contradiction", "faithfulness", "faithfulness")
    (part,) = plan(prompts, names, SETTINGS)
    assert part.metrics == ("faithfulness_contradiction", "faithfulness")
    assert part.judge.prompt_id == "claims_extract@1+claims_check@1"


def test_axis_name_and_metric_mean_the_same(prompts: PromptSet) -> None:
    by_axis = plan(prompts, ("groundedness",), SETTINGS)
    assert by_axis == plan(prompts, ("groundedness_rubric",), SETTINGS)


@pytest.mark.parametrize("name", ["context_relevance_ratio", "rouge_l", "nonsense", ""])
def test_metric_that_no_contract_gives_is_refused_with_a_list(
    prompts: PromptSet, name: str
) -> None:
    with pytest.raises(BadInputError, match="Choose from: context_relevance, groundedness"):
        plan(prompts, (name,), SETTINGS)


def test_judge_changes_with_model_prompt_and_parameters_and_nothing_else(
    prompts: PromptSet,
) -> None:
    def judge(settings: LlmSettings) -> str:
        (part,) = plan(prompts, ("adherence",), settings)
        return judge_id(part.judge)

    plain = judge(LlmSettings("m"))
    assert judge(LlmSettings("m", concurrency=1, max_cost=3.0, timeout=1)) == plain
    others = [LlmSettings("n"), LlmSettings("m", temperature=1), LlmSettings("m", max_tokens=9)]
    assert len({plain, *map(judge, others)}) == 4


def test_it_is_said_which_texts_leave(prompts: PromptSet) -> None:
    sends = {part.contract.id: part.sends for part in plan(prompts, tuple(CONTRACT_OF), SETTINGS)}
    assert sends["groundedness"] == ("answer", "contexts")
    assert sends["claims"] == ("question", "answer", "contexts")
    assert sends["conversational_faithfulness"] == ("answer", "contexts")
    assert sends["context_recall"] == ("reference", "contexts")
    assert sends["generated_questions"] == ("answer", "question")


@pytest.mark.parametrize(
    "request_",
    [
        Request(which="some"),
        Request(repeats=0),
        Request(repeats=10),
        Request(sample_rate=1.5),
    ],
)
def test_request_out_of_range_is_refused(request_: Request) -> None:
    with pytest.raises(BadInputError):
        request_.checked()


def test_request_survives_its_file() -> None:
    request = Request(("a",), ("s1", "s2"), "all", 0.5, 7, 3, 12)
    assert Request.from_json(request.as_json()) == request


def test_share_of_samples_is_a_number_that_seed_and_ids_decide() -> None:
    shares = [hash_share(1, "run", f"s{at}") for at in range(400)]
    assert shares == [hash_share(1, "run", f"s{at}") for at in range(400)]
    assert shares != [hash_share(2, "run", f"s{at}") for at in range(400)]
    assert min(shares) >= 0
    assert max(shares) < 1
    # Half of 400 with a standard deviation of 10.
    assert 150 < sum(share < 0.5 for share in shares) < 250


def sample(**changes: object) -> SampleText:
    values = {
        "position": 0,
        "sample_id": "s",
        "question": "Why?",
        "answer": "So.",
        "contexts": CONTEXTS,
        "references": ("So.",),
        "refused": False,
        **changes,
    }
    return SampleText(**values)  # type: ignore[arg-type]


NOTHING = {"contexts": ()}
RULES = [
    ("context_relevance_rubric", {"contexts": None}, "contexts_not_recorded", None),
    ("context_relevance_rubric", NOTHING, "no_contexts", 1.0),
    ("context_relevance_rubric", {"question": " "}, "empty", None),
    ("context_relevance_rubric", {"contexts": (Context(1, None),)}, "empty", None),
    ("context_relevance_binary", NOTHING, "no_contexts", 0.0),
    ("context_precision", NOTHING, "no_contexts", 0.0),
    ("context_precision", {"references": ()}, "no_reference", None),
    ("context_recall", {"references": (" ",)}, "no_reference", None),
    ("context_recall", NOTHING, "no_contexts", 0.0),
    ("groundedness_rubric", NOTHING, "no_contexts", None),
    ("groundedness_rubric", {"answer": None}, "no_answers", None),
    ("groundedness_rubric", {"answer": " "}, "refusal", None),
    ("groundedness_rubric", {"refused": True}, "refusal", None),
    ("adherence", {"refused": True}, "refusal", None),
    ("faithfulness", {"refused": True}, "refusal", None),
    ("conversational_faithfulness", {"answer": ""}, "empty", 1.0),
    ("conversational_faithfulness", NOTHING, "no_contexts", None),
    ("answer_relevance_rubric", {"answer": None}, "no_answers", None),
    ("answer_relevance_rubric", {"answer": ""}, "empty", 1.0),
    ("answer_relevancy_embed", {"question": ""}, "empty", None),
    ("answer_relevancy_embed", {"answer": ""}, "empty", 0.0),
    ("answer_similarity_embed", {"answer": " "}, "empty", None),
    ("answer_similarity_embed", {"references": ()}, "no_reference", None),
    ("refusal", {"answer": ""}, "empty", 1.0),
    ("refusal", {"answer": None}, "no_answers", None),
    ("correctness", {"references": ()}, "no_reference", None),
]


@pytest.mark.parametrize(("metric", "changes", "cause", "value"), RULES)
def test_what_is_not_there_decides_without_a_model(
    metric: str, changes: dict[str, object], cause: str, value: float | None
) -> None:
    verdicts = by_rule(sample(**changes), CONTRACT_OF[metric], (metric,), 2)
    assert verdicts is not None
    (found,) = verdicts
    assert (found.cause, found.value, found.repeat) == (cause, value, 2)
    assert found.status == ("not_applicable" if value is None else "value")
    assert found.reasoning


@pytest.mark.parametrize("metric", list(CONTRACT_OF))
def test_a_whole_sample_is_asked_about(metric: str) -> None:
    assert by_rule(sample(), CONTRACT_OF[metric], (metric,), 0) is None


def test_conversational_faithfulness_is_asked_of_a_refusal_too() -> None:
    contract = CONTRACT_OF["conversational_faithfulness"]
    assert by_rule(sample(refused=True), contract, contract.metrics, 0) is None
