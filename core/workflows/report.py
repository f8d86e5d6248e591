"""The review of a run as a document for people who do not have the tool."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core import figures
from core.diagnosis.filter_words import term_in_words
from core.diagnosis.fixes import RULE
from core.diagnosis.headline import HEADLINES, Headline
from core.diagnosis.modes import MODES
from core.diagnosis.vocabulary import AXES, CUT_SOURCES, SIDES, missing_in_words
from core.errors import BadInputError
from core.metrics.intervals import wilson
from core.model import Axis, Direction, Mode
from core.store.audit import AuditRow
from core.store.connection import Store
from core.workflows.comparability import Discord
from core.workflows.decisions import decisions
from core.workflows.matrix import AxisCoverage
from core.workflows.overview import LEAST_IN_SLICE, JudgedBy, Overview, overview
from core.workflows.report_document import Bar, Document, Section, Table
from core.workflows.review import View
from core.workflows.trust import trust_lines

_SLICES_SHOWN = 10
_UNJUDGED = {Axis.CORRECTNESS: "no judge; labels where there are any"}
_INTERVAL = f"95{figures.NARROW}% interval"


def review_document(
    store: Store,
    run_id: str,
    view: View,
    baseline_id: str | None = None,
    *,
    now: datetime | None = None,
) -> tuple[Overview, Document]:
    """The overview of a run under a view, and the document that says all of it.

    ``now`` is the time to be printed, by default the present.

    Raises:
        NotFoundError: no such run or baseline.
    """
    found = overview(store, run_id, view, baseline_id)
    finding = found.finding()
    return found, Document(
        title=found.matrix.settings.run.name,
        subtitle=_subtitle(found, view),
        strong=finding.bold,
        rest=finding.rest,
        sections=(
            _headline(found),
            _modes(found),
            _fix_first(found),
            *_slices(found),
            _trust(found),
            _judging(found),
            _timing(found),
            *_decided(decisions(store, found.matrix.settings.run.run_id)),
            _origin(found, view, now or datetime.now(UTC)),
        ),
    )


def _subtitle(found: Overview, view: View) -> str:
    matrix = found.matrix
    total, shown = figures.count(matrix.n_run), figures.count(matrix.summary.n)
    text = f"Review of {total} samples"
    if not view.wanted.is_empty:
        text = f"Review of {shown} of {total} samples ({_filter(view)})"
    if matrix.baseline_settings is not None:
        text += f", against the baseline {matrix.baseline_settings.run.name}"
    return f"{text}."


def _filter(view: View) -> str:
    return ", ".join(term_in_words(term) for term in view.wanted.terms()) or "none"


def write_text(path: Path, text: str) -> None:
    """Write a report; the file appears only when it is complete.

    Raises:
        BadInputError: the folder is not there.
        OSError: the file cannot be written.
    """
    if not path.parent.is_dir():
        raise BadInputError(f"There is no folder {path.parent}.")
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


# --- figures --------------------------------------------------------------------------------------


def _headline(found: Overview) -> Section:
    with_baseline = found.matrix.baseline is not None
    header = ["Rate", "Value", _INTERVAL, "Counted", "What it means"]
    if with_baseline:
        header[4:4] = ["Baseline", "Change"]
    rows = [
        _headline_row(one, found.discords.get(one.id), with_baseline=with_baseline)
        for one in found.headlines
    ]
    note = "A change is beyond chance where the paired 95 % interval of the difference excludes 0."
    return Section(
        "Headline rates",
        Table(header, rows, numeric=frozenset({1, 2})),
        note=note.replace(" %", f"{figures.NARROW}%") if with_baseline else "",
    )


def _headline_row(one: Headline, discord: Discord | None, *, with_baseline: bool) -> list[str]:
    rate, spec = one.rate, HEADLINES[one.id]
    is_rate = rate.value is not None and rate.n >= figures.LEAST_N
    counted = f"{figures.count(int(rate.k))} of {figures.count(rate.n)} {spec.counted}"
    if one.cases is not None:
        counted += (
            f"; {figures.interval(*one.cases)}{figures.NARROW}% if all others failed or passed"
        )
    row = [
        spec.name,
        figures.percent(rate.value) if is_rate else figures.UNDEFINED,
        figures.interval(rate.low, rate.high) if is_rate else figures.UNDEFINED,
        counted if rate.value is not None else f"not defined: {rate.reason}",
        spec.meaning,
    ]
    if with_baseline:
        row[4:4] = _change_cells(one, discord)
    return row


def _change_cells(one: Headline, discord: Discord | None) -> list[str]:
    if one.baseline is None or one.baseline.value is None:
        return [figures.UNDEFINED, figures.UNDEFINED]
    then = figures.percent(one.baseline.value)
    if discord is not None:
        return [then, f"not comparable. {discord.short}"]
    if one.change is None or min(one.rate.n, one.baseline.n) < figures.LEAST_N:
        return [then, figures.UNDEFINED]
    word = "beyond chance" if one.change.is_clear else "within chance"
    return [then, f"{figures.points(one.change.value)}, {word}"]


def _modes(found: Overview) -> Section:
    matrix = found.matrix
    now, then = matrix.summary.modes, matrix.baseline.modes if matrix.baseline else None
    order = sorted(
        (mode for mode in Mode if now[mode] or (then and then[mode])),
        key=lambda mode: (
            list(SIDES).index(MODES[mode].side),
            -now[mode],
            MODES[mode].severity,
        ),
    )
    header = ["Side", "Mode", "Samples", "Share", "First fix"]
    rows = []
    bars = []
    for mode in order:
        spec, share = MODES[mode], wilson(now[mode], matrix.summary.n)
        row = [
            SIDES[spec.side],
            f"{spec.code} {spec.name}",
            figures.count(now[mode]),
            figures.rate(now[mode], matrix.summary.n),
            spec.fixes[0] if spec.fixes else "",
        ]
        if then is not None:
            row[4:4] = [figures.signed(now[mode] - then[mode])]
        rows.append(row)
        bars.append(Bar(share.value or 0, share.low or 0, share.high or 0, spec.side))
    if then is not None:
        header[4:4] = ["Change"]
    return Section(
        "What went wrong, and on which side",
        Table(header, rows, frozenset({2, 3, *({4} if then is not None else ())}), bars),
        note=f"Shares of all {figures.count(matrix.summary.n)} samples with {_INTERVAL}. Dots "
        "read context relevance, groundedness, answer relevance: ● high, ○ low.",
    )


def _fix_first(found: Overview) -> Section:
    rows = [
        [
            repair.fix.name,
            figures.count(repair.n),
            repair.fix.step,
            ", ".join(f"{MODES[mode].name} {figures.count(n)}" for mode, n in repair.modes),
        ]
        for repair in found.repairs
    ]
    if not rows:
        return Section("Fix first", note="No decided sample fails.")
    header = ["Repair", "Samples", "First step", "Failing modes"]
    return Section("Fix first", Table(header, rows, frozenset({1})), note=RULE)


def _slices(found: Overview) -> list[Section]:
    slices = found.slices
    if not slices.n_compared:
        return []
    rows = [
        [
            f"{one.name}: {one.value}",
            f"{figures.count(int(one.rate.k))} of {figures.count(one.rate.n)}",
            figures.rate(int(one.rate.k), one.rate.n),
            figures.points(one.against_rest.value)
            + ("" if one.against_rest.is_clear else ", within chance"),
            f"{MODES[one.failing[0][0]].name} {figures.count(one.failing[0][1])}",
        ]
        for one in slices.rows[:_SLICES_SHOWN]
    ]
    header = ["Slice", "Failing", "Share", "Against the rest", "Most common"]
    note = (
        f"{figures.count(slices.n_compared)} slices with at least {LEAST_IN_SLICE} decided samples "
        "were compared; one of twenty stands out by chance."
    )
    if not rows:
        return [Section("Worst slices", note=f"{note} None fails more often than the rest.")]
    return [Section("Worst slices", Table(header, rows, frozenset({1, 2})), note=note)]


# --- trust and origin -----------------------------------------------------------------------------


def _trust(found: Overview) -> Section:
    rows = [
        ["fine" if line.is_fine else "needs a look", line.label, line.figure, line.why]
        for line in trust_lines(found)
    ]
    return Section(
        "Can these numbers be trusted?", Table(["Check", "", "Figure", "What it means"], rows)
    )


def _judging(found: Overview) -> Section:
    coverage = {row.axis: row for row in found.matrix.coverage}
    rows = [
        [
            AXES[one.axis].name,
            one.metric or _UNJUDGED.get(one.axis, "nobody has scored it"),
            _judge(one),
            _cut(one),
            _scored(coverage.get(one.axis)),
        ]
        for one in found.judged_by
    ]
    header = ["Axis", "Metric", "Judge and prompt", "High from", "Scored"]
    return Section("How it was judged", Table(header, rows))


def _judge(one: JudgedBy) -> str:
    if one.model is None:
        return figures.UNDEFINED
    prompt = "no prompt"
    if one.prompt_id or one.prompt_sha256:
        prompt = f"prompt {one.prompt_id or ''} {(one.prompt_sha256 or '')[:12]}"
    return f"{one.model} ({one.kind}), {' '.join(prompt.split())}"


def _cut(one: JudgedBy) -> str:
    if one.cut is None:
        return figures.UNDEFINED
    if one.cut.value is None:
        return CUT_SOURCES["none"]
    sign = "≤" if one.cut.direction is Direction.LOWER else "≥"
    return f"{sign} {one.cut.value:g} ({CUT_SOURCES[one.cut.source]})"


def _scored(row: AxisCoverage | None) -> str:
    if row is None:
        return figures.UNDEFINED
    missing = [
        f"{figures.count(n)} {missing_in_words(n, status, cause)}"
        for status, cause, n in row.causes
    ]
    text = f"{figures.count(row.n_value)} of {figures.count(row.n)}"
    return f"{text} ({'; '.join(missing)})" if missing else text


def _timing(found: Overview) -> Section:
    timing, total = found.timing, figures.count(found.matrix.summary.n)
    latency = "not recorded"
    if timing.n_latency:
        latency = (
            f"half within {figures.duration(timing.p50)}, 95{figures.NARROW}% within "
            f"{figures.duration(timing.p95)} ({figures.count(timing.n_latency)} of {total} samples)"
        )
    cost = "unknown"
    if timing.n_cost:
        cost = f"{figures.cost(timing.cost)} ({figures.count(timing.n_cost)} of {total} samples)"
    return Section("Latency and cost", facts=(("Latency", latency), ("Cost", cost)))


def _decided(found: Sequence[AuditRow]) -> Iterator[Section]:
    if found:
        rows = [
            (
                figures.date(one.logged_at, time=True),
                one.who,
                one.what,
                one.old or figures.UNDEFINED,
                one.new or figures.UNDEFINED,
                one.reason or figures.UNDEFINED,
            )
            for one in found
        ]
        header = ("When (UTC)", "Who", "What", "From", "To", "Why")
        yield Section("What was decided, and when", Table(header, rows))


def _origin(found: Overview, view: View, now: datetime) -> Section:
    run, baseline = found.matrix.settings.run, found.matrix.baseline_settings
    facts: Sequence[tuple[str, str | None]] = (
        ("Run", f"{run.name} ({run.run_id}, data version {run.data_version})"),
        ("Dataset", run.dataset),
        ("Written by", " ".join(filter(None, (run.tool, run.tool_version))) or None),
        ("Created", figures.date(run.created_at, time=True) if run.created_at else None),
        ("Imported", figures.date(run.imported_at, time=True)),
        ("File", run.file_name),
        ("SHA-256 of the file", run.file_sha256),
        ("Filter", _filter(view)),
        ("Baseline", f"{baseline.run.name} ({baseline.run.run_id})" if baseline else "none"),
        ("Note", run.note),
        ("This report", f"RAG Triage {tool_version()}, {figures.date(now, time=True)} UTC"),
    )
    return Section(
        "Where this comes from", facts=tuple((name, value) for name, value in facts if value)
    )


def tool_version() -> str:
    """Version of the installed package."""
    try:
        return version("rag-triage")
    except PackageNotFoundError:
        return "unknown"
