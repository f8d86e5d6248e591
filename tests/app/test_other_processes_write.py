"""Another process writes into the store: the page shows the new numbers at its next run (B72)."""

import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.store.connection import Store
from core.workflows.listing import run_list

StoreOf = Callable[[str], Store]
Start = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
RUNS = Path(__file__).parent / "runs"
COMMAND = str(Path(sysconfig.get_path("scripts")) / "ragtriage")


def command(store: Store, *arguments: str) -> None:
    """Run the command line on the store, as a person does beside the dashboard."""
    environment = {**os.environ, "RAGTRIAGE_STORE": str(store.path)}
    subprocess.run([COMMAND, *arguments], env=environment, check=True)


def test_b72_import_by_another_process_is_in_the_list(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("no_scores")
    app = start("runs")
    assert "1 run with 8 samples." in text_of(app)

    command(store, "import", str(RUNS / "traps.jsonl"))
    app.run()

    assert "2 runs with 19 samples." in text_of(app)
    assert app.dataframe[0].value["Samples"].tolist() == [11, 8]


def test_b72_verdicts_of_another_process_change_the_matrix(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("no_scores")
    run_id = run_list(store)[0].run.run_id
    app = start("modes", {"run": run_id})
    # One of the eight is seen to be a refusal already at import.
    assert "None of 8 samples has all three scores yet." in text_of(app)

    command(store, "judge", run_id, "--judge", "offline")
    app.run()

    text = text_of(app)
    assert "has all three scores yet" not in text
    assert app.dataframe[0].value["Samples"].sum() == 8
    assert "Undetermined" not in app.dataframe[0].value["Mode"].tolist()


def test_b72_verdicts_of_another_process_are_on_the_sample(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("no_scores")
    run_id = run_list(store)[0].run.run_id
    app = start("triage", {"run": run_id, "sample": "o1"})
    assert "Nobody has scored it." in text_of(app)

    command(store, "judge", run_id, "--sample", "o1")
    app.run()

    assert "Scores · judge lexical-v1" in text_of(app)
    assert "Nobody has scored it." not in text_of(app)


def test_b72_run_deleted_by_another_session_gets_a_message(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    store = store_of("demo")
    run_id = run_list(store)[0].run.run_id
    here, there = start("modes", {"run": run_id}), start("runs")

    there.button(key="remove_demo").click().run()
    here.run()

    assert "No runs yet" in text_of(here)


def test_b72_label_of_one_session_is_in_the_other(
    store_of: StoreOf, start: Start, text_of: TextOf
) -> None:
    run_id = run_list(store_of("demo"))[0].run.run_id
    here, there = start("triage", {"run": run_id}), start("triage", {"run": run_id})
    there.text_input(key="rater_name").set_value("second").run()

    next(b for b in here.button if b.label == "Fail").click().run()
    there.run()

    assert "Also: Failed by reviewer" in text_of(there)
