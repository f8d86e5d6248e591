"""Files of RAGChecker: its results with claims, verdicts and scores, and its input without them.

Scores of samples are 0 to 1, those of the whole file 0 to 100. It writes 0.0 for a score that no
claim speaks for; the lists of claims tell which these are.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.ingest import values
from core.ingest.base import Probe
from core.ingest.rows import RowReader
from core.ingest.table_base import Table
from core.ingest.tables import open_table
from core.metrics.registry import canonical_id
from core.model import Cause, JudgeKind, Status
from core.records import ColumnUse, Item, Notices, ParsedRun, Problem

TOOL = "ragchecker"
_PAIRS = (
    "The file compares the answers of two systems pair by pair (model1, model2) and what people "
    "preferred; it holds no contexts and no scores of single samples, so there is nothing here to "
    "diagnose. Import the results of one system instead."
)
_INPUT = (
    "The file has no claims and no scores: it is an input of RAGChecker, not its result. It can be "
    "looked at, and judged here."
)
_CLAIMS = {"response_claims": "answer", "gt_answer_claims": "reference"}
_TABLES = {
    "answer2response": ("response_claims", "answer_by_reference"),
    "response2answer": ("gt_answer_claims", "reference_by_answer"),
    "retrieved2response": ("response_claims", "answer_by_context"),
    "retrieved2answer": ("gt_answer_claims", "reference_by_context"),
}
_WORDS = {"entailment": "entailed", "contradiction": "contradicted", "neutral": "neutral"}
# What RAGChecker writes as 0.0 without a claim of the answer, and without one of the reference.
_OF_ANSWER = frozenset({
    "precision", "f1", "noise_sensitivity_rel", "noise_sensitivity_irr", "hallucination",
    "self_knowledge", "faithfulness",
})  # fmt: skip
_OF_REFERENCE = frozenset({
    "recall", "f1", "claim_recall", "context_precision_chunks", "context_utilization",
})  # fmt: skip
_KNOWN = {
    "query_id", "query", "gt_answer", "response", "retrieved_context", "metrics", *_CLAIMS,
    *_TABLES,
}  # fmt: skip
_ROUNDED = 0.1  # per cent; the figures of a file have one decimal
_FILE = {"kind": JudgeKind.IMPORTED.value, "model": "file"}


class RagcheckerImporter:
    """Results and inputs of RAGChecker, 0.1."""

    format = "ragchecker"
    title = "RAGChecker"
    columns: tuple[ColumnUse, ...] = ()

    def __init__(self) -> None:
        self._table: Table | None = None

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        return self._table.tally.bytes_read if self._table else 0

    def recognises(self, probe: Probe) -> str | None:
        """What is said if rows have a query_id with response and gt_answer, as only this has."""
        if probe.head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] not in (b"{", b"["):
            return None
        try:
            columns = open_table(probe.path).columns
        except BadInputError:
            return None
        return _why(columns)

    def read(self, path: Path, notices: Notices, default_run: str) -> Iterator[Item]:
        """Yield the run, its samples and problems in file order; see ``Importer.read``.

        Raises:
            BadInputError: the file is damaged, not of this format, or a comparison of pairs.
        """
        table = self._table = open_table(path, name=default_run)
        columns = table.columns
        if _is_pairs(columns):
            raise BadInputError(_PAIRS)
        if _why(columns) is None:
            raise BadInputError(
                f"The file is none of RAGChecker. Its keys are: {', '.join(columns[:40])}."
            )
        if not {"metrics", *_CLAIMS} & set(columns):
            notices.add(None, _INPUT)
        means = _Means(table.about.get("metrics"))
        yield _run(default_run, table.about)
        reader = RowReader(default_run, notices, {default_run})
        for row, cells in table.rows(notices):
            if isinstance(cells, Problem):
                yield cells
                continue
            try:
                record = _record(row, cells, notices)
                means.add(record)
                yield from reader.read(row, record)
            except RecursionError:
                yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")
            except ValueError as error:
                yield Problem(row, str(error))
        means.compare(notices)


def _why(columns: Sequence[str]) -> str | None:
    names = set(columns)
    if _is_pairs(columns):
        return "its rows compare model1 and model2 by instance_id, as those of RAGChecker's study"
    if not {"query_id", "response"} <= names or not names & {"gt_answer", "retrieved_context"}:
        return None
    shown = [name for name in columns if name in _KNOWN][:6]
    return f"its rows have {', '.join(shown[:-1])} and {shown[-1]}, as RAGChecker writes them"


def _is_pairs(columns: Collection[str]) -> bool:
    return {"instance_id", "model1", "model2"} <= set(columns)


def _run(name: str, about: Mapping[str, Any]) -> ParsedRun:
    groups = _groups(about.get("metrics"))
    config: dict[str, Any] = {"file": dict(about)} if about else {}
    if groups:
        config["means_of_the_file"] = groups
    text = values.as_json(config) if config else None
    return ParsedRun(name, name, dataset=name, tool="RAGChecker", config=text)


def _groups(metrics: Any) -> dict[str, float]:
    """Means of the whole file on 0 to 1, by our ids.

    Groups are called overall, retriever and generator, with _metrics behind in old versions.
    """
    found = {}
    for group in metrics.values() if isinstance(metrics, dict) else ():
        for name, value in group.items() if isinstance(group, dict) else ():
            number = values.as_number(value)
            if number is not None:
                found[canonical_id(name, TOOL) or name] = number / 100
    return found


class _Means:
    """The file's own means beside those of its samples, zeros without a claim included."""

    def __init__(self, metrics: Any) -> None:
        self._theirs = _groups(metrics)
        self._sums: dict[str, tuple[float, int]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count what RAGChecker itself counted for a sample."""
        known = {name: values.as_number(value) for name, value in record["scores"].items()}
        for verdict in record["verdicts"]:
            known[verdict["metric"]] = values.as_number(verdict["raw"])
        for name, value in known.items():
            if value is not None:
                total, n = self._sums.get(name, (0.0, 0))
                self._sums[name] = total + value, n + 1

    def compare(self, notices: Notices) -> None:
        """Tell of means that are not those of the samples."""
        for name, theirs in self._theirs.items():
            total, n = self._sums.get(name, (0.0, 0))
            if n and abs(100 * (total / n - theirs)) > _ROUNDED:
                notices.add(
                    None,
                    f"The file gives {100 * theirs:.1f} of 100 as its mean of {name}, and its "
                    f"samples have {100 * total / n:.1f}. The samples count here.",
                )


def _record(row: int, cells: Mapping[str, Any], notices: Notices) -> dict[str, Any]:
    """One item in the neutral format."""
    claims = _claims(row, cells, notices)
    scores, verdicts = _scores(row, cells)
    return {
        "sample_id": values.as_id(cells.get("query_id")),
        "question": cells.get("query"),
        "answer": cells.get("response"),
        "reference": cells.get("gt_answer"),
        "contexts": _contexts(row, cells.get("retrieved_context")),
        "scores": scores,
        "verdicts": verdicts,
        "claims": claims or None,
        "extra": {key: value for key, value in cells.items() if key not in _KNOWN} or None,
    }


def _contexts(row: int, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [
        {**item, "doc_id": values.as_id(item.get("doc_id"))} if isinstance(item, dict) else item
        for item in value
    ]


def _scores(row: int, cells: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Scores by our ids, and those that are zero only because nothing was claimed."""
    metrics = cells.get("metrics")
    if metrics is None:
        return {}, []
    if not isinstance(metrics, dict):
        raise ValueError("metrics must be an object of names and values.")
    without: set[str] = set()
    for key, names in (("response_claims", _OF_ANSWER), ("gt_answer_claims", _OF_REFERENCE)):
        if cells.get(key) == []:
            without |= names
    if _nothing_found(cells.get("retrieved2answer")):
        without.add("context_utilization")
    scores: dict[str, Any] = {}
    verdicts = []
    for name, value in metrics.items():
        metric = canonical_id(name, TOOL) or name
        if metric in without and values.as_number(value) == 0:
            verdicts.append({
                "metric": metric, "judge": _FILE, "status": Status.NOT_APPLICABLE.value,
                "cause": Cause.NO_CLAIMS.value, "raw": values.as_json(value),
            })  # fmt: skip
        else:
            scores[metric] = value
    return scores, verdicts


def _nothing_found(table: Any) -> bool:
    """True if verdicts about the reference's claims are there and no context entails any."""
    if not isinstance(table, list) or not table:
        return False
    words = [word for line in table if isinstance(line, list) for word in line]
    return not any(isinstance(word, str) and word.lower() == "entailment" for word in words)


def _claims(row: int, cells: Mapping[str, Any], notices: Notices) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, name in _CLAIMS.items():
        if cells.get(key) is not None:
            found[name] = [_claim(item) for item in _listed(cells, key)]
    for key, (of, name) in _TABLES.items():
        if cells.get(key) is None or cells.get(of) is None:
            continue
        lines, n = _listed(cells, key), len(cells[of])
        if len(lines) > n:
            raise ValueError(
                f"{key} has {len(lines)} entries, and {of} has {n} claims: which belongs to which "
                "cannot be told. Take the surplus out, or the whole list."
            )
        if len(lines) < n:
            notices.add(
                row, f"{key} is shorter than {of}: the verdicts behind its end are missing."
            )
        is_table = name.endswith("_by_context")
        width = _width(cells, lines) if is_table else 0
        table = [_verdicts(row, key, line, width, notices) if is_table
                 else _verdict(row, key, line, notices) for line in lines]  # fmt: skip
        found[name] = table + [[] if is_table else None] * (n - len(lines))
    return found


def _listed(cells: Mapping[str, Any], key: str) -> list[Any]:
    value = cells[key]
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list with one entry per claim.")
    return value


def _claim(item: Any) -> str:
    """A claim as text; a triple is its three parts.

    >>> _claim(["the lid", "is", "blue"])
    'the lid is blue'
    """
    if isinstance(item, list):
        return " ".join(part if isinstance(part, str) else values.as_json(part) for part in item)
    return item if isinstance(item, str) else values.as_json(item)


def _width(cells: Mapping[str, Any], lines: Sequence[Any]) -> int:
    contexts = cells.get("retrieved_context")
    if isinstance(contexts, list):
        return len(contexts)
    return max((len(line) for line in lines if isinstance(line, list)), default=0)


def _verdicts(row: int, key: str, line: Any, width: int, notices: Notices) -> list[str | None]:
    words = line if isinstance(line, list) else []
    if len(words) < width:
        notices.add(row, f"{key} lacks verdicts about some contexts: they count as missing.")
    if len(words) > width:
        raise ValueError(
            f"{key} has a line of {len(words)} verdicts, and the sample has {width} contexts: "
            "which belongs to which cannot be told. Take the surplus out, or the whole list."
        )
    return [_verdict(row, key, word, notices) for word in words]


def _verdict(row: int, key: str, word: Any, notices: Notices) -> str | None:
    known = _WORDS.get(word.strip().lower()) if isinstance(word, str) else None
    if known is None and word is not None:
        notices.add(
            row,
            f"A verdict of {key} is none of Entailment, Neutral, Contradiction: it counts as "
            "missing.",
        )
    return known
