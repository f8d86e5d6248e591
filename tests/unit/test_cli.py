"""The command line: exit codes, one strict JSON document on stdout, everything else on stderr."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.store.connection import Store

Writer = Callable[..., Path]
STATE_COUNTS = {"n", "not_applicable", "error", "not_scored", "mean", "min", "max", "scale"}
TRIAD_MODES = {
    "success", "off_target_answer", "hallucination", "generation_breakdown", "score_conflict",
    "retrieval_failure", "lucky_guess", "confabulation", "ungrounded_answer", "pipeline_failure",
    "undetermined",
}  # fmt: skip
REFUSALS = {"correct_refusal", "over_refusal", "refusal_unverified"}


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


class Ended:
    """What a command left: exit code, stdout and stderr."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> Any:
        """The one JSON document on stdout, read strictly."""
        return json.loads(self.out, parse_constant=refuse)


def ragtriage(store: Store, *arguments: str) -> Ended:
    ended = CliRunner().invoke(app, [*arguments, "--store", str(store.path)])
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return Ended(ended.exit_code, ended.stdout, ended.stderr)


def in_process(*arguments: str, code: str | None = None) -> Ended:
    """In a process of its own, as a person or CI calls it."""
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "core.cli"]
    ended = subprocess.run([*command, *arguments], capture_output=True, check=False)
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def sample(number: int, **more: Any) -> dict[str, Any]:
    return {
        "run": "r", "sample_id": f"s{number}", "question": f"q{number}", "answer": f"a{number}",
        **more,
    }  # fmt: skip


# --- all commands ---------------------------------------------------------------------------------


def test_help_needs_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys, core.cli\n"
        "heavy = ('duckdb', 'pandas', 'pyarrow', 'numpy', 'scipy', 'sklearn', 'litellm')\n"
        "print([name for name in heavy if name in sys.modules])"
    )

    assert in_process(code=code).out == "[]\n"


def test_every_command_takes_store_and_json_and_explains_itself() -> None:
    commands = app.registered_commands
    assert len(commands) >= 6
    for command in commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        ended = CliRunner().invoke(app, [name, "--help"])
        assert ended.exit_code == 0
        assert {"--store", "--json"} <= set(re.findall(r"--[a-z-]+", ended.stdout)), name
        assert command.callback.__doc__


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runs", "--bogus"], "No such option: --bogus"),
        (["diagnose"], "Missing argument"),
        (["nothing"], "No such command 'nothing'"),
        (["judge", "r", "--sample-rate", "2"], "--sample-rate"),
    ],
)
def test_mistyped_command_ends_with_2_and_json_too(arguments: list[str], said: str) -> None:
    ended = in_process(*arguments, "--json")

    assert ended.code == 2
    assert said in ended.document["problems"][0]["problem"]
    assert ended.err.startswith("ragtriage: ")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["diagnose", "nope"],
        ["judge", "nope"],
        ["export", "nope"],
        ["diagnose", "{run}", "--set", "groundedness=high"],
        ["diagnose", "{run}", "--set", "rouge_l=0.5"],
        ["diagnose", "{run}", "--filter", "colour=red"],
        ["judge", "{run}", "--metric", "rouge_l", "--metric", "groundedness"],
        ["judge", "{run}", "--sample", "nope"],
        ["judge", "{run}", "--missing", "--all"],
        ["export", "{run}", "--to", "out.xlsx"],
        ["export", "{run}", "--to", "no/such/folder/out.csv"],
    ],
)
def test_bad_input_ends_with_2_and_is_explained_in_json_and_words(
    arguments: list[str], demo_store: Store
) -> None:
    run = ragtriage(demo_store, "runs", "--json").document["runs"][0]["run_id"]
    ended = ragtriage(demo_store, *[part.format(run=run) for part in arguments], "--json")

    assert ended.code == 2
    (problem,) = ended.document["problems"]
    assert ended.err == f"ragtriage: {problem['problem']}\n"


def test_b78_held_store_ends_with_2_and_names_the_holder(demo_store: Store) -> None:
    code = (
        "import sys\nfrom core.store import connection\nconnection.WAIT_SECONDS = 0.2\n"
        "from core.cli import main\nmain()"
    )
    holder = (
        "import sys\nfrom core.store.connection import Store\n"
        "with Store(sys.argv[1]).writing():\n    print('held', flush=True)\n    sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", holder, str(demo_store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        process.stdout.readline()
        ended = in_process("runs", "--json", "--store", str(demo_store.path), code=code)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()

    assert ended.code == 2
    assert f"held by process {process.pid}" in ended.document["problems"][0]["problem"]
    assert "Traceback" not in ended.err


def test_store_that_is_none_ends_with_2(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk\n" * 4_000, encoding="utf-8")

    ended = ragtriage(Store(path), "runs", "--json")

    assert ended.code == 2
    assert "cannot be read as a store" in ended.document["problems"][0]["problem"]
    assert path.read_text(encoding="utf-8") == "milk\n" * 4_000


# --- demo, runs -----------------------------------------------------------------------------------


def test_demo_is_loaded_once_and_runs_lists_it(fresh_store: Store) -> None:
    first = ragtriage(fresh_store, "demo", "--json")
    second = ragtriage(fresh_store, "demo", "--json")
    listed = ragtriage(fresh_store, "runs", "--json")

    assert (first.code, second.code, listed.code) == (0, 0, 0)
    loaded = first.document["files"][0]["runs"]
    assert len(loaded) == 2
    assert second.document["files"][0]["duplicate_of"]["run_ids"] == [
        run["run_id"] for run in sorted(loaded, key=lambda run: str(run["name"]))
    ]
    runs = listed.document["runs"]
    assert {run["run_id"] for run in runs} == {run["run_id"] for run in loaded}
    for run in runs:
        assert set(run["pass_rate"]) == {"value", "low", "high", "n"}
        assert run["pass_rate"]["low"] < run["pass_rate"]["value"] < run["pass_rate"]["high"]
        assert run["pass_rate"]["n"] + run["open"] == run["samples"]


def test_runs_of_an_empty_store_says_how_to_go_on(fresh_store: Store) -> None:
    assert ragtriage(fresh_store, "runs", "--json").document == {"runs": []}
    assert "ragtriage import FILE" in ragtriage(fresh_store, "runs").out


# --- import ---------------------------------------------------------------------------------------


def test_import_prints_what_the_contract_says(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(
        sample(1, scores={"m": 0.5, "bad": "x"}, labels={"correct": 1}, contexts=["c"]), sample(2)
    )

    ended = ragtriage(fresh_store, "import", str(file), "--json")

    assert ended.code == 0
    (report,) = ended.document["files"]
    assert set(report) >= {"path", "format", "runs", "problems", "notices", "duplicate_of"}
    assert report["path"] == str(file)
    assert report["problems"] == []
    assert report["duplicate_of"] is None
    assert [set(notice) for notice in report["notices"]] == [{"row", "notice", "n"}]
    (run,) = report["runs"]
    assert set(run) >= {"run_id", "name", "samples", "contexts", "gold", "metrics", "labels"}
    assert (run["name"], run["samples"], run["contexts"], run["gold"]) == ("r", 2, 1, 0)
    assert set(run["metrics"]["m"]) >= STATE_COUNTS
    assert run["metrics"]["m"]["mean"] == 0.5


def test_one_bad_file_does_not_hide_what_became_of_the_others(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    good = jsonl(sample(1), name="good")
    bad = jsonl(sample(1), "{broken", name="bad")

    ended = ragtriage(
        fresh_store, "import", "--json", str(bad), str(good), str(tmp_path / "none.jsonl")
    )

    assert ended.code == 2
    refused, stored, missing = ended.document["files"]
    assert [problem["row"] for problem in refused["problems"]] == [2]
    assert stored["problems"] == []
    assert "There is no file" in missing["problems"][0]["problem"]
    assert [run["name"] for run in ragtriage(fresh_store, "runs", "--json").document["runs"]] == [
        "r"
    ]


@pytest.mark.parametrize(
    ("options", "code", "n_runs"),
    [([], 2, 0), (["--skip-bad-rows"], 0, 1), (["--dry-run"], 2, 0),
     (["--dry-run", "--skip-bad-rows"], 0, 0)],
)  # fmt: skip
def test_exit_code_says_whether_the_file_is_or_would_be_in_the_store(
    options: list[str], code: int, n_runs: int, fresh_store: Store, jsonl: Writer
) -> None:
    file = jsonl(sample(1), "{broken")

    ended = ragtriage(fresh_store, "import", str(file), *options, "--json")

    assert ended.code == code
    assert [problem["row"] for problem in ended.document["files"][0]["problems"]] == [2]
    assert len(ragtriage(fresh_store, "runs", "--json").document["runs"]) == n_runs


def test_the_same_file_again_ends_with_0(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(sample(1))
    first = ragtriage(fresh_store, "import", str(file), "--json").document["files"][0]

    again = ragtriage(fresh_store, "import", str(file), "--json")

    assert again.code == 0
    report = again.document["files"][0]
    assert report["runs"] == []
    assert set(report["duplicate_of"]) == {"file", "imported_at", "run_ids"}
    assert report["duplicate_of"]["run_ids"] == [run["run_id"] for run in first["runs"]]


def test_import_in_words_names_rows_and_the_way_out(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(sample(1, scores={"m": 0.5}), "{broken")

    ended = ragtriage(fresh_store, "import", str(file))

    assert ended.code == 2
    assert "problem: row 2: The row is no JSON" in ended.out
    assert "score m: 1 of 1, from 0.5 to 0.5; scale 0 to 1" in ended.out
    assert "--skip-bad-rows would leave out the rows above" in ended.out


def test_import_prints_where_the_dashboard_shows_what_is_stored(
    fresh_store: Store, jsonl: Writer, tmp_path: Path
) -> None:
    file = jsonl(sample(1, contexts=["c"]))
    preview = ragtriage(fresh_store, "import", str(file), "--dry-run")
    assert "see http" not in preview.out

    stored = ragtriage(fresh_store, "import", str(file))
    run_id = ragtriage(fresh_store, "runs", "--json").document["runs"][0]["run_id"]
    link = f"  see http://localhost:8501/?run={run_id}"
    assert stored.out.splitlines()[-1] == link
    # The same file again, and scores for its samples: it is there that they are seen.
    assert ragtriage(fresh_store, "import", str(file)).out.splitlines()[-1] == link
    scores = tmp_path / "scores.csv"
    scores.write_text("sample_id,my_score\ns1,1\n", encoding="utf-8")
    joined = ragtriage(fresh_store, "import", str(scores), "--join", run_id)
    assert joined.out.splitlines()[-1] == link


def test_ambiguous_name_of_a_run_ends_with_2_and_lists_the_ids(
    fresh_store: Store, jsonl: Writer
) -> None:
    file = jsonl(sample(1), name="a")
    run_id = ragtriage(fresh_store, "import", str(file), "--json").document["files"][0]["runs"][0]
    with fresh_store.writing() as connection:
        connection.execute("insert into run select * replace ('0123456789ab' as run_id) from run")

    ended = ragtriage(fresh_store, "diagnose", "r", "--json")

    assert ended.code == 2
    problem = ended.document["problems"][0]["problem"]
    assert run_id["run_id"] in problem
    assert "0123456789ab" in problem


# --- judge, diagnose ------------------------------------------------------------------------------


def test_judge_prints_done_failed_skipped_and_cost(fresh_store: Store, jsonl: Writer) -> None:
    file = jsonl(*[sample(n, contexts=[f"a{n} and more"]) for n in range(3)])
    ragtriage(fresh_store, "import", str(file))

    some = ragtriage(
        fresh_store, "judge", "r", "--sample", "s1", "--metric", "groundedness", "--json"
    )
    rest = ragtriage(fresh_store, "judge", "r", "--judge", "offline", "--json")
    none = ragtriage(fresh_store, "judge", "--json", "r")
    again = ragtriage(fresh_store, "judge", "r", "--all", "--metric", "adherence", "--json")

    def counted(ended: Ended) -> tuple[Any, ...]:
        found = ended.document
        return found["done"], found["failed"], found["skipped"], found["verdicts"], found["cost"]

    assert [ended.code for ended in (some, rest, none, again)] == [0, 0, 0, 0]
    assert counted(some) == (1, 0, 0, 1, 0.0)
    # 5 verdicts for each of 3 samples (the refusals were made at import), less the one made above
    assert counted(rest) == (3, 0, 0, 14, 0.0)
    assert counted(none) == (0, 0, 3, 0, 0.0)
    assert counted(again) == (3, 0, 0, 3, 0.0)


def test_judge_takes_the_same_share_every_time(fresh_store: Store, jsonl: Writer) -> None:
    """In is what has sha256(seed, run_id, sample_id) below the rate, so a repeat adds none."""
    ragtriage(fresh_store, "import", str(jsonl(*[sample(n) for n in range(60)])))
    options = ["judge", "r", "--sample-rate", "0.5", "--seed", "7", "--json"]

    first = ragtriage(fresh_store, *options).document
    second = ragtriage(fresh_store, *options).document

    assert 15 < first["done"] < 45
    assert (second["done"], second["skipped"]) == (0, 60)


def check_rate(rate: Mapping[str, Any]) -> None:
    if rate["value"] is None:
        assert rate["low"] is rate["high"] is None
        assert rate["reason"]
    else:
        assert set(rate) == {"value", "low", "high", "n"}
        assert 0 <= rate["low"] <= rate["value"] <= rate["high"] <= 1


def test_diagnose_prints_what_the_contract_says(demo_store: Store) -> None:
    run = ragtriage(demo_store, "runs", "--json").document["runs"][0]

    ended = ragtriage(demo_store, "diagnose", run["name"], "--samples", "--json")

    assert ended.code == 0
    found = ended.document
    assert set(found["triad"]) == TRIAD_MODES
    assert set(found["refusals"]) == REFUSALS
    assert sum(found["triad"].values()) + sum(found["refusals"].values()) == found["n"]
    assert {"missed_refusal", "retrieval_gap", "noisy_retrieval", "borderline"} <= set(
        found["flags"]
    )
    head = found["headline"]
    assert {"success", "pass", "fail", "open", "correct", "incorrect", "refused"} <= set(head)
    assert head["pass"] + head["fail"] + head["open"] == found["n"]
    for name in ("pass_rate", "accuracy", "accuracy_answered"):
        check_rate(head[name])
    check_rate(found["coverage"])
    assert len(found["samples"]) == found["n"]
    counted: dict[str, int] = {}
    for row in found["samples"]:
        counted[row["mode"]] = counted.get(row["mode"], 0) + 1
    everything = {**found["triad"], **found["refusals"]}
    assert counted == {mode: n for mode, n in everything.items() if n}


def test_rate_of_nothing_is_null_with_a_reason(fresh_store: Store, jsonl: Writer) -> None:
    ragtriage(fresh_store, "import", str(jsonl(sample(1))))

    found = ragtriage(fresh_store, "diagnose", "r", "--json").document

    assert found["headline"]["pass_rate"]["value"] is None
    check_rate(found["headline"]["pass_rate"])


def test_set_moves_the_cut_and_filter_keeps_a_part(fresh_store: Store, jsonl: Writer) -> None:
    scores = {"context_relevance_rubric": 5, "groundedness_rubric": 3, "answer_relevance_rubric": 5}
    file = jsonl(sample(1, scores=scores, tags={"t": "x"}), sample(2, scores=scores))
    ragtriage(fresh_store, "import", str(file))

    plain = ragtriage(fresh_store, "diagnose", "r", "--json").document
    moved = ragtriage(fresh_store, "diagnose", "r", "--set", "groundedness=3", "--json").document
    by_id = ragtriage(fresh_store, "diagnose", "--set", "groundedness_rubric=3", "r", "--json")
    part = ragtriage(fresh_store, "diagnose", "r", "--filter", "tag.t=x", "--json").document

    assert plain["triad"]["hallucination"] == 2
    assert moved["triad"]["success"] == by_id.document["triad"]["success"] == 2
    assert (part["n"], part["triad"]["hallucination"]) == (1, 1)


# --- export ---------------------------------------------------------------------------------------


def test_export_goes_to_stdout_as_lines_or_as_one_document(demo_store: Store) -> None:
    run = ragtriage(demo_store, "runs", "--json").document["runs"][0]

    lines = ragtriage(demo_store, "export", run["run_id"])
    array = ragtriage(demo_store, "export", run["run_id"], "--json")

    records = [json.loads(line, parse_constant=refuse) for line in lines.out.splitlines()]
    assert (lines.code, lines.err) == (0, "")
    assert len(records) == run["samples"]
    assert array.document == records


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_export_to_a_file_says_how_many(ending: str, demo_store: Store, tmp_path: Path) -> None:
    run = ragtriage(demo_store, "runs", "--json").document["runs"][0]
    to = tmp_path / f"out.{ending}"

    ended = ragtriage(
        demo_store, "export", run["run_id"], "--to", str(to), "--filter", "mode=success", "--json"
    )

    assert ended.code == 0
    n = ragtriage(demo_store, "diagnose", run["run_id"], "--json").document["triad"]["success"]
    assert ended.document == {"path": str(to), "samples": n}
    assert to.stat().st_size > 0
    assert list(tmp_path.glob(".*")) == []


def test_export_that_nobody_reads_on_ends_quietly(demo_store: Store) -> None:
    run = ragtriage(demo_store, "runs", "--json").document["runs"][0]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "core.cli",
            "export",
            run["run_id"],
            "--store",
            str(demo_store.path),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(100)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert process.wait() == 0
    assert said == b""


def test_output_is_utf8_whatever_the_locale(fresh_store: Store, jsonl: Writer) -> None:
    ragtriage(fresh_store, "import", str(jsonl(sample(1, question="Zoë – 😀"))))

    ended = subprocess.run(
        [sys.executable, "-m", "core.cli", "export", "r", "--store", str(fresh_store.path)],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    )

    assert "Zoë – 😀" in ended.stdout.decode("utf-8")
