"""Scores and labels of a file for the samples of a run that is stored already.

Samples are found by their id or by the text of their question, never by their place in the file,
and nothing is stored if a row finds none, unless that is allowed.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import BadInputError, RagTriageError
from core.ingest.directions import direction_of
from core.ingest.formats import Recognised
from core.ingest.mapped import MappedImporter
from core.ingest.mapping import JOINS, Role
from core.ingest.suggest import suggest_scores
from core.ingest.tables import open_table
from core.model import Judged, JudgeKind, JudgeSpec, Status, Verdict
from core.records import (
    ColumnUse,
    Notices,
    ParsedRun,
    ParsedSample,
    ParsedScore,
    ParsedVerdict,
    Problem,
)
from core.store import joined, queries, writes
from core.store.connection import Store
from core.store.joined import JoinedLabel, Target, text_hash
from core.store.queries import RunRow
from core.store.taking_in import Source
from core.workflows.import_options import Options, Progress, importer_for
from core.workflows.import_scales import known_scales, scale_of
from core.workflows.importing import check_file, file_hash
from core.workflows.join_report import How, JoinReport
from core.workflows.reports import FileReport
from core.workflows.unpacking import plain_name, unpacked

_KEYS = (Role.SAMPLE_ID, Role.QUESTION, Role.ANSWER)
_USED = frozenset([*_KEYS, Role.METRIC, Role.REASON, Role.LABEL, "rater"])
_KIND_OF_KEY = {"sample_id": "sample id", "question": "question"}


def try_join(
    store: Store,
    path: Path,
    how: How,
    options: Options | None = None,
    progress: Progress | None = None,
) -> FileReport:
    """Like ``join_file``, but what is wrong with the file as a whole is a problem of its report."""
    try:
        return join_file(store, path, how, options, progress)
    except (RagTriageError, OSError) as error:
        report = FileReport(str(path))
        report.problems.append(Problem(None, str(error)))
        return report


def join_file(
    store: Store,
    path: Path,
    how: How,
    options: Options | None = None,
    progress: Progress | None = None,
) -> JoinReport:
    """Add the scores and labels of a file to a stored run, or with ``is_dry_run`` say what matches.

    Args:
        store: an existing store.
        path: the file; it is read like any import, and its texts are left aside.
        how: the run, and how its samples are found.
        options: see ``Options``; names and appending play no part here.
        progress: called with (rows read, share of the file read).

    Raises:
        BadInputError: no such run or file, or nothing in it can be joined.
    """
    options = options or Options()
    name = options.display_name or path.name
    by = how.by or (options.mapping.join if options.mapping else None)
    if by is not None and by not in JOINS:
        raise BadInputError(f"Scores are joined by {' or '.join(JOINS)}, not by {by!r}.")
    check_file(store, path, name, options.max_size)
    shown = str(path) if options.display_name is None else name
    with unpacked(store, path, name, options.max_size) as plain:
        return _join(store, plain, name, shown, replace(how, by=by), options, progress)


def _join(
    store: Store,
    path: Path,
    name: str,
    shown: str,
    how: How,
    options: Options,
    progress: Progress | None,
) -> JoinReport:
    recognised = _recognised(path, options, name)
    importer = recognised.importer
    sha256 = file_hash(path)
    with store.reading() as connection:
        target = queries.find_run(connection, how.run)
        earlier = joined.earlier_join(connection, sha256, target.run_id)
    report = JoinReport(shown, importer.format, importer.title, recognised.why)
    report.run_id, report.run_name = target.run_id, target.name
    report.n_samples = target.n_samples
    if earlier is not None:
        report.duplicate_of = {
            "file": earlier["file_name"],
            "imported_at": f"{earlier['imported_at'].isoformat(timespec='seconds')}Z",
            "run_ids": [target.run_id],
        }
        if not options.is_dry_run:
            return report
    now = writes.now_utc()
    source = Source(
        hashlib.sha256(f"{sha256}{now}".encode()).hexdigest()[:12],
        name,
        sha256,
        importer.format,
        now,
    )
    notices = Notices()
    reading = _Reading(store, target, report, how.by)
    size = max(1, path.stat().st_size)
    for item in importer.read(path, notices, Path(plain_name(name)).stem):
        reading.take(item)
        if progress is not None and report.n_rows % 1_000 == 0:
            progress(report.n_rows, min(1.0, importer.bytes_read / size))
    report.columns = tuple(_as_joined(use) for use in importer.columns)
    reading.close(notices, allow_unmatched=how.allow_unmatched)
    report.notices = notices.as_list()
    if options.is_dry_run or report.has_blocking_problems(options):
        return report
    with store.writing() as connection:
        joined.take_in(
            connection,
            target.run_id,
            source,
            list(reading.judged(sha256)),
            reading.labels,
            reading.scales(known_scales(connection, target.run_id), report, notices),
            notices.as_list(),
        )
    report.notices = notices.as_list()
    report.is_stored = True
    return report


def _as_joined(use: ColumnUse) -> ColumnUse:
    """What a column is used for here: what is no key, score or label of a sample is left out."""
    return use if use.role in _USED else use._replace(role=Role.IGNORE.value)


def _recognised(path: Path, options: Options, name: str) -> Recognised:
    """What reads the file; a table of no format may still say plainly what its columns are."""
    try:
        return importer_for(path, options, name)
    except BadInputError:
        if options.mapping is not None or options.format is not None:
            raise
        try:
            mapping = suggest_scores(open_table(path, None, name))
        except BadInputError:
            mapping = None  # it is no table: what was said first is the better reason
        if mapping is None:
            raise
        return Recognised(
            MappedImporter(mapping, name), "the names of its columns say what they hold"
        )


class _Reading:
    """Matches one sample of the file after the other with the samples of the run."""

    def __init__(self, store: Store, run: RunRow, report: JoinReport, by: str | None) -> None:
        self.labels: list[JoinedLabel] = []
        self._store = store
        self._run = run
        self._report = report
        self._by = by
        self._targets: dict[str | bytes, list[Target]] | None = None
        self._taken: dict[int, int] = {}
        self._found: list[tuple[int, ParsedSample]] = []
        self._declared: dict[str, Any] = {}

    def take(self, item: ParsedSample | ParsedRun | Problem) -> None:
        """Match a sample; keep what a run says of its metrics; note a problem."""
        if isinstance(item, Problem):
            self._report.problems.append(item)
            return
        if isinstance(item, ParsedRun):
            self._declared.update(item.metrics)
            return
        report = self._report
        report.n_rows += 1
        position, why = self._position(item)
        if position is None:
            report.unmatched.append(Problem(item.row, why))
            return
        report.n_matched += 1
        self._taken[position] = item.row
        self._keep(position, item)

    def _position(self, sample: ParsedSample) -> tuple[int | None, str]:
        key = self._key(sample)
        if key is None:
            return None, f"The row has no {_KIND_OF_KEY[self._report.by]}."
        found = (self._targets or {}).get(key, [])
        shown = sample.sample_id if self._report.by == "sample_id" else sample.question
        what = f"{_KIND_OF_KEY[self._report.by]} {_short(shown or '')!r}"
        if not found:
            return None, f"The run has no sample with the {what}."
        answer = text_hash(sample.answer)
        if answer is not None:
            same = [one for one in found if one.answer_hash in (answer, None)]
            if not same:
                return None, f"The sample with the {what} has another answer."
            found = same
        if len(found) > 1:
            return None, f"The run has {len(found)} samples with the {what}."
        position = found[0].position
        if position in self._taken:
            return None, f"Row {self._taken[position]} has the same {what}."
        return position, ""

    def _key(self, sample: ParsedSample) -> str | bytes | None:
        if self._targets is None:
            by = self._by or ("question" if sample.sample_id is None else "sample_id")
            self._report.by = by
            with self._store.reading() as connection:
                self._targets = joined.targets(connection, self._run.run_id, by)
        return sample.sample_id if self._report.by == "sample_id" else text_hash(sample.question)

    def _keep(self, position: int, sample: ParsedSample) -> None:
        # The texts stay in the file; a million of them would not fit.
        scores, labels = self._report.scores, self._report.labels
        for score in _scores(sample):
            counts = scores.setdefault(score.metric, {"n": 0, "error": 0, "not_applicable": 0})
            counts["n" if score.status == Status.VALUE else score.status] += 1
        for label in sample.labels:
            labels[label.criterion] = labels.get(label.criterion, 0) + 1
            self.labels.append(
                JoinedLabel(position, label.criterion, "file", label.value, label.category)
            )
        for human in sample.human_labels:
            labels[human.criterion] = labels.get(human.criterion, 0) + 1
            self.labels.append(
                JoinedLabel(
                    position, human.criterion, human.rater, human.value, human.category, human.note
                )
            )
        sample.question, sample.answer, sample.extra, sample.history = "", "", None, None
        sample.contexts, sample.gold, sample.references = None, [], []
        self._found.append((position, sample))

    def close(self, notices: Notices, *, allow_unmatched: bool) -> None:
        """Refuse a file in which rows find no sample, unless that is allowed.

        Raises:
            BadInputError: there is nothing to join.
        """
        report = self._report
        if not report.n_rows and not report.problems:
            raise BadInputError("The file holds no rows: there is nothing to join.")
        if report.n_matched and not report.scores and not report.labels:
            raise BadInputError("The file holds neither scores nor labels: nothing can be joined.")
        if not report.unmatched:
            return
        n = len(report.unmatched)
        if report.n_matched == 0:
            report.problems.append(
                Problem(None, f"None of {report.n_rows} rows matches a sample of the run.")
            )
        elif not allow_unmatched:
            report.problems.append(
                Problem(
                    None,
                    f"{n} of {report.n_rows} rows match no sample of {report.run_name!r}. Nothing "
                    "was stored; --allow-unmatched stores the rows that match.",
                )
            )
        else:
            first = report.unmatched[0].row
            notices.add(first, "The row matches no sample of the run and was left out.", n)
        if any(problem.row is None for problem in report.problems):
            report.problems += report.unmatched

    def judged(self, file_sha256: str) -> Iterator[Judged]:
        """The scores as verdicts; those without a judge get one that names this file.

        So the scores that the run came with stay beside them instead of being superseded.
        """
        plain = JudgeSpec(JudgeKind.IMPORTED, "file", params={"joined": file_sha256[:12]})
        for position, sample in self._found:
            for score in sample.scores:
                yield Judged(
                    plain,
                    Verdict(
                        position, score.metric, Status(score.status), score.value, score.cause,
                        raw=score.raw,
                    ),
                )  # fmt: skip
            for verdict in sample.verdicts:
                is_plain = verdict.judge.model == "file" and not verdict.judge.params
                yield Judged(plain if is_plain else verdict.judge, _verdict(position, verdict))

    def scales(
        self, stored: dict[str, Any], report: JoinReport, notices: Notices
    ) -> dict[str, dict[str, Any]]:
        """Scales of the metrics that the run has not yet."""
        found = {}
        for metric in report.scores:
            numbers = [v for _, sample in self._found for v in _values(sample, metric)]
            low, high = (min(numbers), max(numbers)) if numbers else (None, None)
            known = stored.get(metric) or self._declared.get(metric)
            scale = scale_of(metric, known, low, high)
            if scale is None:
                notices.add(
                    None, f"Scores of {metric} run from {low:g} to {high:g}, outside its scale."
                )
            if metric in stored:
                continue
            found[metric] = {
                "lo": scale.lo if scale else None,
                "hi": scale.hi if scale else None,
                "direction": known["direction"] if known else direction_of(metric).value,
                "cut": (known or {}).get("cut"),
                "is_declared": metric in self._declared,
            }
            if scale is not None:
                found[metric]["direction"] = scale.direction.value
        return found


def _scores(sample: ParsedSample) -> Iterator[ParsedScore | ParsedVerdict]:
    yield from sample.scores
    yield from sample.verdicts


def _values(sample: ParsedSample, metric: str) -> Iterator[float]:
    for score in _scores(sample):
        if score.metric == metric and score.value is not None:
            yield score.value


def _verdict(position: int, verdict: ParsedVerdict) -> Verdict:
    return Verdict(
        position,
        verdict.metric,
        Status(verdict.status),
        verdict.value,
        verdict.cause,
        verdict.reasoning,
        raw=verdict.raw,
        repeat=verdict.repeat,
        latency=verdict.latency,
        cost=verdict.cost,
        tokens=verdict.tokens,
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"
