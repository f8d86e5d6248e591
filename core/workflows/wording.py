"""What the command line says to people; its JSON comes from the documents themselves."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.figures import counted, share
from core.workflows.join_report import JoinReport
from core.workflows.listing import ListedRun
from core.workflows.reports import (
    FileReport,
    columns_in_words,
    contexts_in_words,
    rows_in_words,
    scale_in_words,
)

#: Where `streamlit run dashboard/app.py` serves if nothing else is asked of it.
DASHBOARD = "http://localhost:8501"


def report_lines(report: FileReport, *, is_dry_run: bool) -> Iterator[str]:
    """What a file holds and what became of it."""
    yield f"{report.path}: {report.format or 'not recognised'}"
    if report.reading:
        yield f"  {report.reading}"
    for line in columns_in_words(report.columns):
        yield f"  {line}"
    if report.duplicate_of:
        earlier = report.duplicate_of
        yield (
            f"  the same file was imported as {earlier['file']} at {earlier['imported_at']}: "
            f"runs {', '.join(earlier['run_ids'])}"
        )
    for run in report.runs:
        yield (
            f"  {run.run_id}  {run.name}: {run.samples} samples, {run.contexts} contexts, "
            f"{run.gold} gold"
        )
        yield f"      {contexts_in_words(run)}"
        for name, row in run.metrics.items():
            yield f"      score {name}: {_states(row, run.samples)}"
        for name, row in run.labels.items():
            yield f"      label {name}: {row['n']} of {run.samples}"
    if isinstance(report, JoinReport) and not report.duplicate_of:
        yield from _join_lines(report)
    for notice in report.notices:
        place = f" from row {notice.row}" if notice.row else ""
        times = f" ({notice.n} times)" if notice.n > 1 else ""
        yield f"  notice{place}: {notice.notice}{times}"
    for line in rows_in_words(report.problems):
        yield f"  problem: {line}"
    yield f"  {_outcome(report, is_dry_run)}"
    for run_id in _stored_runs(report):
        yield f"  see {DASHBOARD}/?run={run_id}"


def _stored_runs(report: FileReport) -> list[str]:
    """Runs of a file that are in the store, whether from now or from before."""
    if report.duplicate_of:
        return list(report.duplicate_of["run_ids"])
    if not report.is_stored:
        return []
    if isinstance(report, JoinReport):
        return [report.run_id]
    return [run.run_id for run in report.runs]


def _join_lines(report: JoinReport) -> Iterator[str]:
    yield (
        f"  {report.n_matched} of {report.n_rows} rows match a sample of {report.run_name} "
        f"({report.run_id}) by their {report.by}; it has {report.n_samples} samples"
    )
    for name, counts in report.scores.items():
        errors = f", {counts['error']} error" if counts["error"] else ""
        yield f"      score {name}: {counts['n']} of {report.n_matched}{errors}"
    for name, n in report.labels.items():
        yield f"      label {name}: {n} of {report.n_matched}"


def _states(row: Mapping[str, Any], n_samples: int) -> str:
    parts = [f"{row['n']} of {n_samples}"]
    parts += [
        f"{row[state]} {state.replace('_', ' ')}"
        for state in ("error", "not_applicable", "not_scored")
        if row[state]
    ]
    if row["n"]:
        parts.append(f"from {row['min']:.3g} to {row['max']:.3g}")
    return f"{', '.join(parts)}; {scale_in_words(row)}, {row['direction']} is better"


def _outcome(report: FileReport, is_dry_run: bool) -> str:
    if is_dry_run:
        return "nothing was stored (dry run)"
    if report.is_stored:
        return "stored"
    if any(problem.row is not None for problem in report.problems) and report.runs:
        return "nothing was stored; --skip-bad-rows would leave out the rows above"
    return "nothing was stored"


def run_lines(found: list[ListedRun]) -> Iterator[str]:
    """One line for each run of the store."""
    if not found:
        yield "No runs yet. Import one: ragtriage import FILE, or try: ragtriage demo"
    for row in found:
        rate = row.summary.pass_rate
        passed = f"passes {share(int(rate.k), rate.n)}"
        if rate.value is None:
            passed = "nothing decided yet" if row.run.judges else "no verdict yet"
        samples = counted(row.run.n_samples, "sample")
        yield f"{row.run.run_id}  {row.run.name}  {samples}  {passed}"


def judge_line(found: Mapping[str, Any]) -> str:
    """What judging a run came to."""
    cost = "unknown" if found["cost"] is None else f"${found['cost']:.4g}"
    return (
        f"done {found['done']}, failed {found['failed']}, skipped {found['skipped']}; "
        f"{found['verdicts']} verdicts by {found['judge']}; cost {cost}"
    )


def _claim_lines(claims: Mapping[str, Any] | None) -> Iterator[str]:
    for source in ("labelled", "judged"):
        counts = (claims or {}).get(source, {}).get("claims", {})
        parts = [f"{n} {kind.replace('_', ' ')}" for kind, n in counts.items() if n]
        if parts:
            yield f"  claims of the answers, {source}: {', '.join(parts)}"


def diagnosis_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The failure modes of a run; zeros are left out."""
    yield f"{found['name']} ({found['run_id']}): {found['n']} samples"
    for axis, row in found["axes"].items():
        scored = row["scored"]
        source = {"address": "--set"}.get(row["cut_source"], row["cut_source"])
        cut = "no cut" if row["cut"] is None else f"cut {row['cut']:g} ({source})"
        n_value = round((scored["value"] or 0) * scored["n"])
        yield f"  {axis}: {n_value} of {scored['n']} scored by {row['judge'] or 'nobody'}, {cut}"
    for group in ("triad", "refusals"):
        for mode, n in found[group].items():
            if n:
                yield f"  {n:6}  {mode}"
    for flag, n in found["flags"].items():
        if n:
            yield f"  {n:6}  flag {flag}"
    yield from _claim_lines(found.get("claims"))
    head = found["headline"]
    yield f"  pass {head['pass']}, fail {head['fail']}, open {head['open']}"
    for row in found.get("samples", []):
        yield f"{row['sample_id']}\t{row['mode']}\t{','.join(row['flags'])}"
