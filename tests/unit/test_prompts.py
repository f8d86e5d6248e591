"""Prompt files: the shipped ones word every contract, and a wrong file is told of, not fatal."""

import json
from pathlib import Path

import pytest

from core.errors import BadInputError
from core.judge.contracts import AXIS_METRIC, CONTRACT_OF, CONTRACTS, score_schema
from core.judge.prompts import PromptSet, load_prompts, prompt_hash
from core.metrics.registry import METRICS, axis_of
from core.model import Axis
from core.resources import resource

SHIPPED = resource("prompts")
GROUNDEDNESS = (SHIPPED / "groundedness.v1.md").read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    """The shipped prompt of groundedness under another id, with one thing changed."""
    text = GROUNDEDNESS.replace('id = "groundedness"', 'id = "mine"', 1)
    assert old in text
    return text.replace(old, new, 1)


@pytest.fixture(scope="module")
def shipped() -> PromptSet:
    return load_prompts(SHIPPED)


def test_every_step_of_every_contract_is_worded(shipped: PromptSet) -> None:
    assert shipped.problems == ()
    worded = {(one.contract.id, one.step): one.id for one in shipped.prompts}
    wanted = {
        (contract.id, step): name
        for contract in CONTRACTS.values()
        for step, name in enumerate(contract.prompts, 1)
    }
    assert worded == wanted
    assert all(one.title and one.source and len(one.text) > 200 for one in shipped.prompts)


def test_file_is_named_by_id_and_version(shipped: PromptSet) -> None:
    names = {one.path.name for one in shipped.prompts}
    assert names == {f"{one.id}.v{one.version}.md" for one in shipped.prompts}


def test_metrics_of_contracts_are_those_of_the_registry() -> None:
    assert set(CONTRACT_OF) <= set(METRICS)
    assert {axis: axis_of(metric) for axis, metric in AXIS_METRIC.items()} == {
        axis: axis for axis in Axis
    }


def test_schema_of_every_contract_is_closed_and_reasons_first() -> None:
    for contract in CONTRACTS.values():
        # Texts that go to an embedding model as they are get vectors, not a reply.
        for step in contract.steps if contract.prompts else ():
            assert step.output["additionalProperties"] is False
            keys = list(step.output["properties"])
            assert step.output["required"] == keys
            assert keys.index("reasoning") == 0 if "reasoning" in keys else True


def test_hash_changes_with_any_byte_and_covers_all_steps(
    shipped: PromptSet, tmp_path: Path
) -> None:
    (one,) = shipped.wording(CONTRACTS["groundedness"])
    assert prompt_hash([one]) == one.sha256
    (tmp_path / "mine.md").write_text(
        GROUNDEDNESS.replace('id = "groundedness"', 'id = "mine"') + "\n", encoding="utf-8"
    )
    mine = load_prompts(SHIPPED, tmp_path).find("mine")
    assert mine.sha256 != one.sha256
    first, second = shipped.wording(CONTRACTS["claims"])
    assert len({prompt_hash([first, second]), prompt_hash([second, first]), first.sha256}) == 3


def test_highest_version_is_used_and_an_older_one_can_be_named(tmp_path: Path) -> None:
    for version in (1, 2, 10):
        text = GROUNDEDNESS.replace(
            'id = "groundedness"\nversion = 1', f'id = "mine"\nversion = {version}'
        )
        (tmp_path / f"mine.v{version}.md").write_text(text, encoding="utf-8")
    found = load_prompts(SHIPPED, tmp_path)
    assert found.find("mine").version == 10
    assert found.find("mine@2").version == 2
    chosen = found.wording(CONTRACTS["groundedness"], ["mine@1"])
    assert [one.name for one in chosen] == ["mine@1"]
    with pytest.raises(BadInputError, match="no prompt 'mine@3'"):
        found.find("mine@3")


WRONG = [
    ("mine.txt", GROUNDEDNESS, "ends in .md"),
    ("a.md", "", "between two lines"),
    ("a.md", "# Just words\n", "between two lines"),
    ("a.md", "+++\nid = \n+++\nwords", "no TOML"),
    ("a.md", changed("version = 1\n", ""), "lack version"),
    ("a.md", changed("version = 1", 'version = "1"'), "version has to be a whole number"),
    ("a.md", changed("version = 1", "version = true"), "version has to be a whole number"),
    ("a.md", changed("version = 1", "version = 0"), "1 or more"),
    ("a.md", changed('id = "mine"', 'id = "My Prompt"'), "lower-case letters"),
    ("a.md", changed("version = 1", "version = 1\nmodel = 3"), "no setting 'model'"),
    ("a.md", changed('contract = "groundedness"', 'contract = "truth"'), "no contract 'truth'"),
    ("a.md", changed("version = 1", "version = 1\nstep = 2"), "has no step 2"),
    ("a.md", changed('["answer"', '["reference", "answer"'), "no more and no"),
    ("a.md", changed('"answer", "contexts"', '"answer"'), "no more and no"),
    ("a.md", changed("[1, 2, 3, 4, 5]", "[1, 2, 3]"), "output of this contract is fixed"),
    ("a.md", changed('"type": "object",', '"type": "object"'), "no JSON"),
    ("a.md", GROUNDEDNESS, "belongs to a prompt that came with"),
    ("a.md", changed("version = 1", 'version = 1\nmetric = "x"'), "names a metric of its own"),
    ("a.md", GROUNDEDNESS.split("+++\n\n")[0] + "+++\n\n", "no instructions"),
    ("a.md", "x" * 200_000, "is the limit"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "words"), WRONG)
def test_wrong_file_is_reported_and_the_others_work(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("No prompt.", encoding="utf-8")
    found = load_prompts(SHIPPED, tmp_path)
    assert len(found.prompts) == len(load_prompts(SHIPPED).prompts)
    (problem,) = found.problems
    assert problem.path.name == name
    assert words in problem.problem


def test_file_that_is_no_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"+++\n\xff\xfe\n+++\n")
    (problem,) = load_prompts(SHIPPED, tmp_path).problems
    assert "not UTF-8" in problem.problem


def test_two_files_cannot_be_the_same_prompt(tmp_path: Path) -> None:
    text = changed("version = 1", "version = 1")
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = load_prompts(SHIPPED, tmp_path)
    assert [one.path.name for one in found.problems] == ["b.md"]
    assert found.find("mine").path.name == "a.md"


def own(**changes: str) -> str:
    values = {
        "id": '"tone"',
        "version": "1",
        "contract": '"score"',
        "inputs": '["answer"]',
        "scale": "[1, 5]",
        "source": '"Our own"',
        "output": f"'{json.dumps(score_schema(1, 5))}'",
        **changes,
    }
    lines = [f"{key} = {value}" for key, value in values.items() if value]
    return "+++\n" + "\n".join(lines) + "\n+++\nJudge the tone.\n"


def test_own_metric_has_its_name_inputs_and_scale(tmp_path: Path) -> None:
    (tmp_path / "tone.md").write_text(own(), encoding="utf-8")
    found = load_prompts(SHIPPED, tmp_path)
    assert found.problems == ()
    prompt = found.own_metrics()["tone"]
    assert (prompt.inputs, prompt.scale, prompt.is_own) == (("answer",), (1.0, 5.0), True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metric": '"faithfulness"'}, "is a metric of RAG Triage"),
        ({"metric": '"groundedness"'}, "is a metric of RAG Triage"),
        ({"scale": ""}, "needs a scale"),
        ({"scale": "[5, 1]"}, "the lower one first"),
        ({"scale": "[1, nan]"}, "the lower one first"),
        ({"scale": "[0, 1000]"}, "100 of them"),
        ({"inputs": '["claims"]'}, "inputs can be"),
        ({"inputs": "[]"}, "inputs can be"),
        ({"output": "'{}'"}, "output of this contract is fixed"),
    ],
)
def test_own_metric_that_makes_no_sense_is_reported(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    (tmp_path / "tone.md").write_text(own(**changes), encoding="utf-8")
    (problem,) = load_prompts(SHIPPED, tmp_path).problems
    assert words in problem.problem


def test_folder_that_is_not_there_or_the_shipped_one_changes_nothing(tmp_path: Path) -> None:
    plain = load_prompts(SHIPPED)
    assert load_prompts(SHIPPED, tmp_path / "none") == plain
    assert load_prompts(SHIPPED, SHIPPED) == plain
