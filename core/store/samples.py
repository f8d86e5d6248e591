"""Reading samples with their texts: one to look at, some to judge, all to export."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.model import Context, Gold, SampleText
from core.store.connection import Connection
from core.store.queries import RunRow
from core.store.run_sql import fetch_records, fetch_rows, loaded


def sample_texts(
    connection: Connection, run_id: str, positions: Sequence[int], length: int
) -> dict[int, tuple[str, str]]:
    """The first ``length`` characters of question and answer by position."""
    rows = fetch_rows(
        connection, "sample_texts", run_id=run_id, positions=list(positions), length=length
    )
    return {position: (question, answer) for position, _, question, answer in rows}


def sample_position(connection: Connection, run_id: str, sample_id: str) -> int | None:
    """Position of a sample, None if the run has no such id."""
    rows = fetch_rows(connection, "sample_position", run_id=run_id, sample_id=sample_id)
    return int(rows[0][0]) if rows else None


def sample_ids(connection: Connection, run_id: str, positions: Sequence[int]) -> dict[int, str]:
    """Ids of the samples at these positions."""
    return dict(fetch_rows(connection, "sample_ids", run_id=run_id, positions=list(positions)))


@dataclass(frozen=True, slots=True)
class SampleDetail:
    """Everything that is stored about one sample, texts included."""

    sample: Mapping[str, Any]
    contexts: tuple[Context, ...]
    gold: tuple[Gold, ...]
    tags: tuple[tuple[str, str], ...]
    verdicts: tuple[Mapping[str, Any], ...]
    labels: tuple[Mapping[str, Any], ...]
    wide: Mapping[str, Any]
    claims: str | None = None


def sample_detail(connection: Connection, run_id: str, position: int) -> SampleDetail:
    """One sample with its contexts, gold, tags, verdicts (oldest first), labels and wide row."""
    here = {"run_id": run_id, "position": position}
    sample = fetch_records(connection, "sample", **here)[0]
    sample["history"], sample["extra"] = loaded(sample["history"]), loaded(sample["extra"])
    verdicts = fetch_records(connection, "sample_verdicts", **here)
    for verdict in verdicts:
        verdict["detail"], verdict["params"] = (
            loaded(verdict["detail"]),
            loaded(verdict["params"]),
        )
    return SampleDetail(
        sample=sample,
        contexts=tuple(
            Context(rank, text, doc_id, score, loaded(metadata))
            for rank, doc_id, text, score, metadata in fetch_rows(
                connection, "sample_contexts", **here
            )
        ),
        gold=tuple(
            Gold(doc_id, text, grade, group)
            for _, doc_id, text, grade, group in fetch_rows(connection, "sample_gold", **here)
        ),
        tags=tuple((name, value) for name, value in fetch_rows(connection, "sample_tags", **here)),
        verdicts=tuple(verdicts),
        labels=tuple(fetch_records(connection, "sample_labels", **here)),
        wide=fetch_records(connection, "sample_wide", **here)[0],
        claims=next((text for (text,) in fetch_rows(connection, "sample_claims", **here)), None),
    )


def judge_inputs(connection: Connection, run: RunRow, positions: Sequence[int]) -> list[SampleText]:
    """What a judge may read of the samples at these positions, in order of position."""
    here = {"run_id": run.run_id, "positions": list(positions)}
    contexts: dict[int, list[Context]] = {}
    for position, rank, doc_id, text, score in fetch_rows(connection, "judge_contexts", **here):
        contexts.setdefault(position, []).append(Context(rank, text, doc_id, score))
    return [
        SampleText(
            position=position,
            sample_id=sample_id,
            question=question,
            answer=answer if run.has_answers else None,
            contexts=contexts.get(position, []) if run.has_contexts and is_recorded else None,
            references=tuple(references),
            refused=None if refused is None else bool(refused),
            history=_turns(loaded(history)),
            cut_texts=tuple(cut_texts),
        )
        for (
            position, sample_id, question, answer, references, is_recorded, refused, history,
            cut_texts,
        ) in fetch_rows(connection, "judge_samples", **here)
    ]  # fmt: skip


def _turns(history: Any) -> tuple[str, ...]:
    """The turns of a conversation as texts, whatever shape the file gave them."""
    turns = history if isinstance(history, list) else [] if history is None else [history]
    return tuple(text for turn in turns if (text := _turn(turn)).strip())


def _turn(turn: Any) -> str:
    if isinstance(turn, str):
        return turn
    if isinstance(turn, dict) and isinstance(turn.get("content"), str):
        role = turn.get("role")
        return f"{role}: {turn['content']}" if role else str(turn["content"])
    return json.dumps(turn, ensure_ascii=False)


def has_history(connection: Connection, run_id: str) -> bool:
    """Whether some sample of a run belongs to a conversation."""
    return bool(fetch_rows(connection, "has_history", run_id=run_id)[0][0])


def cut_positions(connection: Connection, run_id: str) -> list[int]:
    """Positions of the samples with a text that was cut before the file was saved."""
    return [position for (position,) in fetch_rows(connection, "cut_positions", run_id=run_id)]


def fit_texts(connection: Connection, run_id: str, limit: int) -> list[str]:
    """Texts of the contexts of a bounded part of the run, chosen by the hash of the sample id."""
    return [text for (text,) in fetch_rows(connection, "fit_texts", run_id=run_id, limit=limit)]


def judged_states(
    connection: Connection, run_id: str, wanted: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """What judges have made of (judge id, metric) pairs so far, per position and repeat.

    ``settled_no`` is the number of the newest verdict that is no error, None if there is none;
    ``is_failed`` if the newest of all is an error or rests on some of the contexts only.
    """
    return fetch_records(
        connection,
        "judged_states",
        run_id=run_id,
        judge_ids=[judge_id for judge_id, _ in wanted],
        metrics=[metric for _, metric in wanted],
    )


def positions_of(connection: Connection, run_id: str, sample_ids: Sequence[str]) -> dict[str, int]:
    """Position by id of those of these samples that the run has."""
    rows = fetch_rows(connection, "positions_of", run_id=run_id, sample_ids=list(sample_ids))
    return {sample_id: position for position, sample_id in rows}


def all_positions(connection: Connection, run_id: str) -> list[tuple[int, str]]:
    """(position, sample_id) of every sample of a run, in order of position."""
    return [(p, s) for p, s in fetch_rows(connection, "all_positions", run_id=run_id)]


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One sample with all that hangs on it; JSON columns are still text."""

    sample: Mapping[str, Any]
    contexts: Sequence[Mapping[str, Any]]
    gold: Sequence[Mapping[str, Any]]
    tags: Sequence[tuple[str, str]]
    verdicts: Sequence[Mapping[str, Any]]
    labels: Sequence[Mapping[str, Any]]
    label_parts: Mapping[str, str]
    claims: str | None = None


@dataclass(frozen=True, slots=True)
class LastNumbers:
    """The newest verdict and label of a run at some moment."""

    verdict_no: int
    label_no: int


def last_numbers(connection: Connection, run_id: str) -> LastNumbers:
    """Numbers of the newest verdict and label of a run, 0 where there is none."""
    return LastNumbers(*fetch_rows(connection, "last_numbers", run_id=run_id)[0])


def export_rows(
    connection: Connection, run_id: str, positions: Sequence[int], last: LastNumbers
) -> list[ExportRow]:
    """The samples at these positions, in that order, with all that hangs on them.

    Verdicts and labels after ``last`` are left out, and positions without a sample.
    """
    here = {"run_id": run_id, "positions": list(positions)}

    def grouped(name: str, **more: int) -> dict[int, list[dict[str, Any]]]:
        groups: dict[int, list[dict[str, Any]]] = {}
        for record in fetch_records(connection, f"export/{name}", **here, **more):
            groups.setdefault(record["position"], []).append(record)
        return groups

    samples = grouped("samples")
    contexts, gold, tags = grouped("contexts"), grouped("gold"), grouped("tags")
    claims = {row["position"]: row["labels"] for (row,) in grouped("claims").values()}
    verdicts = grouped("verdicts", last_no=last.verdict_no)
    labels = grouped("labels", last_no=last.label_no)
    parts = grouped("label_parts")
    return [
        ExportRow(
            sample=samples[position][0],
            contexts=contexts.get(position, []),
            gold=gold.get(position, []),
            tags=[(tag["name"], tag["value"]) for tag in tags.get(position, [])],
            verdicts=verdicts.get(position, []),
            labels=labels.get(position, []),
            label_parts={row["criterion"]: row["part"] for row in parts.get(position, [])},
            claims=claims.get(position),
        )
        for position in positions
        if position in samples
    ]


def plain_metrics(connection: Connection, run_id: str) -> list[str]:
    """Metrics of a run that are nothing but numbers of its file: one value a sample, no reason."""
    return [metric for (metric,) in fetch_rows(connection, "plain_metrics", run_id=run_id)]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names that become columns of a table export."""

    metrics: tuple[str, ...]
    criteria: tuple[str, ...]
    tags: tuple[str, ...]


def column_names(connection: Connection, run_id: str) -> ColumnNames:
    """Metrics, criteria and tags that occur in a run, each sorted."""
    names: dict[str, list[str]] = {"metric": [], "criterion": [], "tag": []}
    for kind, name in fetch_rows(connection, "column_names", run_id=run_id):
        names[kind].append(name)
    return ColumnNames(tuple(names["metric"]), tuple(names["criterion"]), tuple(names["tag"]))
