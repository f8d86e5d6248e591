"""``ragtriage judge`` with a model: options, exit codes, one JSON document, and no key anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from core.cli import app
from core.store.connection import Store
from core.workflows.importing import Options, import_file
from core.workflows.judging import Request
from core.workflows.setup import ensure_store

KEY = "sk-canary-77aa10b2c3d4e5f6"


Ended = subprocess.CompletedProcess[str]


def ragtriage(store: Store, *arguments: str, **environment: str) -> Ended:
    found = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, "-m", "core.cli", *arguments, "--store", str(store.path)],
        env={**found, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def in_this_process(store: Store, *arguments: str) -> Result:
    """For what ends before the model library is loaded; loading takes seconds."""
    return CliRunner().invoke(app, [*arguments, "--store", str(store.path)])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("cli")
    rows = [
        {"run": "cli", "sample_id": "good", "question": "Good?", "answer": "Yes."},
        {"run": "cli", "sample_id": "bad", "question": "fault:echoed_key-c", "answer": "No."},
        {"run": "cli", "sample_id": "tells", "question": "fault:key_in_reply-c", "answer": "So."},
    ]
    file = folder / "cli.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    store, _ = ensure_store(folder / "store.duckdb")
    assert import_file(store, file, Options()).is_stored
    return store


def test_any_server_judges_and_one_document_tells_of_it(store: Store, bench: Any) -> None:
    ended = ragtriage(
        store, "judge", "cli", "--judge", "openai/fake", "--api-base", bench.server.address,
        "--metric", "answer_relevance", "--metric", "refusal", "--json", OPENAI_API_KEY=KEY,
    )  # fmt: skip
    found = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert (found["done"], found["failed"], found["skipped"]) == (2, 1, 0)
    assert (found["cost"], found["errors"]) == (None, {"provider_error": 2})
    # Where the texts go is said before they leave.
    address = bench.server.address.removeprefix("http://").removesuffix("/v1")
    assert f"question, answer are sent to openai/fake at {address}" in ended.stderr
    assert bench.server.stats()["keys"] == [f"Bearer {KEY}"]
    _no_key_anywhere(store, ended.stdout + ended.stderr)


def test_texts_that_were_cut_are_left_out_unless_asked_for(bench: Any, tmp_path: Path) -> None:
    store, _ = ensure_store(tmp_path / "store.duckdb")
    whole = {"run": "cut", "question": "Good?", "answer": "Yes."}
    rows = [
        {**whole, "sample_id": "whole"},
        {**whole, "sample_id": "cut", "tags": {"truncated": ["answer"]}},
        {**whole, "sample_id": "named", "tags": {"truncated": ["context"]}},
    ]
    file = tmp_path / "cut.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert import_file(store, file, Options()).is_stored

    def judged(*arguments: str) -> Ended:
        return ragtriage(
            store, "judge", "cut", "--judge", "openai/fake", "--api-base", bench.server.address,
            "--metric", "answer_relevance", *arguments, OPENAI_API_KEY=KEY,
        )  # fmt: skip

    first = judged()
    assert "done 1, failed 0, skipped 2" in first.stdout
    assert "left out: 2 samples with texts that were cut" in first.stdout
    assert "--include-truncated" in first.stdout
    named = json.loads(judged("--sample", "named", "--json").stdout)
    assert (named["done"], named["n_cut"]) == (1, 0)
    rest = json.loads(judged("--include-truncated", "--json").stdout)
    assert (rest["done"], rest["skipped"], rest["n_cut"]) == (1, 2, 0)


def _no_key_anywhere(store: Store, shown: str) -> None:
    folder = store.path.parent
    exported = in_this_process(store, "export", "cli")
    assert exported.exit_code == 0
    assert "[key removed]" in exported.stdout
    texts = {"output": shown, "export": exported.stdout}
    with store.reading() as connection:
        tables = connection.execute("select table_name from duckdb_tables()").fetchall()
        for (table,) in tables:
            texts[table] = str(connection.execute(f"from {table}").fetchall())
    for path in folder.rglob("*"):
        if path.is_file():
            texts[path.name] = path.read_bytes().decode("latin-1")
    assert [name for name, text in texts.items() if KEY in text] == []


def test_status_files_of_jobs_hold_no_key(bench: Any) -> None:
    rows = [{"question": "fault:echoed_key-j", "answer": "No."}, {"question": "a?", "answer": "a"}]
    status = bench.judge(bench.add("keys", rows), Request(("answer_relevance",)))
    assert (status.done, status.failed) == (1, 1)
    folder = Path(f"{bench.store.path}.jobs")
    files = [path for path in folder.iterdir() if path.is_file()]
    assert files
    key = os.environ["OPENAI_API_KEY"]
    assert [path for path in files if key in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--judge", "fake", "--api-base", "http://127.0.0.1:9/v1"], "Nobody answers"),
        (["--judge", "fake", "--api-base", "http://me:pw@127.0.0.1:9/v1"], "Leave keys"),
        (["--judge", "fake", "--api-base", "localhost:9"], "has to begin with http"),
        (["--judge", "fake", "--metric", "rouge_l"], "no metric that a model judge makes"),
        (["--judge", "fake", "--metric", "answer_relevancy_embed"], "--embedding-model"),
        (["--judge", "fake", "--prompt", "nothing"], "no prompt 'nothing'"),
        (["--judge", "fake", "--price", "cheap"], "two numbers"),
        (["--judge", "offline", "--repeats", "3"], "repeats are for models"),
        (["--judge", "offline", "--dry-run"], "sends nothing"),
    ],
)
def test_settings_that_cannot_work_end_with_2_and_say_why(
    store: Store, arguments: list[str], words: str
) -> None:
    ended = in_this_process(store, "judge", "cli", *arguments)
    assert ended.exit_code == 2
    assert words in ended.stderr
    assert "pw" not in ended.stderr.replace("password", "")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("openai/gpt-4o-mini", "set OPENAI_API_KEY or RAGTRIAGE_JUDGE_KEY"),
        ("nobody-knows", "names no provider"),
    ],
)
def test_missing_key_and_unknown_provider_end_before_the_first_request(
    store: Store, model: str, words: str
) -> None:
    ended = ragtriage(store, "judge", "cli", "--judge", model)
    assert ended.returncode == 2
    assert words in ended.stderr
    with store.reading() as connection:
        judges = connection.execute("select model from judge where model = ?", [model]).fetchall()
    assert judges == []


def test_dry_run_says_what_would_be_sent_and_sends_nothing(store: Store, bench: Any) -> None:
    ended = in_this_process(
        store, "judge", "cli", "--judge", "openai/gpt-4o-mini", "--api-base",
        bench.server.address, "--metric", "correctness", "--metric", "answer_relevance",
        "--repeats", "2", "--dry-run", "--json",
    )  # fmt: skip
    found = json.loads(ended.stdout)
    assert ended.exit_code == 0
    # No sample has a reference, so only answer relevance asks: 3 samples, 2 repeats.
    assert (found["samples"], found["requests"]) == (6, 6)
    assert found["sends"] == ["question", "answer", "reference"]
    # The price of this model is known: 0.15 and 0.60 USD a million.
    assert 0 < found["cost"] < 0.01
    assert bench.server.stats()["requests"] == 0


def test_offline_judge_and_estimate_never_load_the_library(store: Store) -> None:
    code = (
        "import sys\n"
        "from core.judge.settings import LlmSettings\n"
        "from core.store.connection import Store\n"
        "from core.workflows import jobs, judge_plan, judging\n"
        f"store = Store({str(store.path)!r})\n"
        "judging.judge_run(store, 'cli', judging.Request())\n"
        "settings = LlmSettings('openai/gpt-4o-mini')\n"
        "print(judge_plan.estimate(store, 'cli', judging.Request(), settings).cost is not None)\n"
        "print('litellm' in sys.modules, 'httpx' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["True", "False", "False"]
