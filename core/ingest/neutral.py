"""The neutral format: one JSON object per sample and line (README, "Your own file")."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.ingest import values
from core.ingest.base import Probe
from core.ingest.export_fields import (
    FieldError,
    parse_human_labels,
    parse_run_info,
    parse_verdicts,
)
from core.ingest.textfile import Tally, lines
from core.records import (
    Item,
    Notices,
    ParsedContext,
    ParsedGold,
    ParsedRun,
    ParsedSample,
    ParsedScore,
    Problem,
)

_KEYS = {
    "run", "sample_id", "question", "answer", "reference", "contexts", "gold_doc_ids", "gold",
    "scores", "labels", "tags", "history", "latency", "cost", "error", "extra", "verdicts",
    "human_labels", "run_info",
}  # fmt: skip
_TEXT_ALIASES = ("content", "page_content")
_CONTEXT_KEYS = {"text", *_TEXT_ALIASES, "doc_id", "id", "rank", "score", "metadata"}
_PROBED_LINES = 20


class RowError(Exception):
    """A row that cannot be stored as it stands; the message says why."""


class NeutralImporter:
    """Neutral JSON Lines (or one JSON array of the same objects)."""

    format = "neutral"
    title = "RAG Triage JSON Lines"

    def __init__(self) -> None:
        self._tally = Tally()

    @property
    def bytes_read(self) -> int:
        """How far ``read`` has come."""
        return self._tally.bytes_read

    def recognises(self, probe: Probe) -> bool:
        """True if one of the first rows is an object with a question or an answer."""
        start = probe.head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not start or (start[:1] not in b"{[" and start[:2] not in (b"\xff\xfe", b"\xfe\xff")):
            return False
        for seen, (_, record) in enumerate(_records(probe.path, Notices())):
            if isinstance(record, dict) and ("question" in record or "answer" in record):
                return True
            if seen >= _PROBED_LINES:
                break
        return False

    def read(self, path: Path, notices: Notices) -> Iterator[Item]:
        """Yield runs, samples and problems in file order; see ``Importer.read``."""
        reader = RowReader(path.stem, notices)
        for row, record in _records(path, notices, self._tally):
            if isinstance(record, Problem):
                yield record
                continue
            try:
                yield from reader.read(row, record)
            except (RowError, FieldError, values.TooDeepError) as error:
                yield Problem(row, str(error))
            except RecursionError:
                yield Problem(row, f"The row is nested deeper than {values.MAX_DEPTH} levels.")


def _records(path: Path, notices: Notices, tally: Tally | None = None) -> Iterator[tuple[int, Any]]:
    """Yield (row, parsed value); a row that is no JSON comes as a Problem."""
    blank: list[int] = []
    for row, text in lines(path, notices, tally):
        stripped = text.strip()
        if not stripped:
            blank.append(row)
            continue
        if stripped[0] == "[" and row == len(blank) + 1:
            yield from _array_records(path, notices)
            return
        if blank:
            for number in blank:
                notices.add(number, "The row is blank and was left out.")
            blank.clear()
        try:
            record = json.loads(stripped)
            if values.may_be_unclean(stripped):
                record = cleaned(row, record, notices)
            yield row, record
        except RecursionError:
            yield row, Problem(row, "The row is nested too deeply to be read.")
        except ValueError as error:
            yield row, Problem(row, f"The row is no JSON: {error}. Each line must be one object.")
    for number in blank:
        notices.add(number, "The row is blank and was left out.")


def _array_records(path: Path, notices: Notices) -> Iterator[tuple[int, Any]]:
    text = "\n".join(line for _, line in lines(path, Notices()))
    try:
        found = json.loads(text)
        if values.may_be_unclean(text):
            found = [cleaned(row, record, notices) for row, record in enumerate(found, 1)]
    except RecursionError:
        yield 1, Problem(None, "The file is nested too deeply to be read.")
        return
    except ValueError as error:
        yield 1, Problem(None, f"The file starts as a JSON array but is no JSON: {error}.")
        return
    yield from enumerate(found, 1)


def cleaned(row: int, record: Any, notices: Notices) -> Any:
    """A record whose texts the store accepts, however deep they stand in it."""
    found, n = values.clean(record)
    if n:
        notices.add(row, "NUL characters or lone surrogates were replaced by U+FFFD.", n)
    return found


class RowReader:
    """Turns one object after the other into samples; remembers which runs it has announced."""

    def __init__(self, default_run: str, notices: Notices) -> None:
        self._default_run = default_run
        self._notices = notices
        self._runs: set[str] = set()

    def read(self, row: int, record: Any) -> Iterator[Item]:
        """Yield the run where it is new, and the sample of one row, whose texts are clean.

        Raises:
            RowError: the row cannot be stored as it stands.
            FieldError: a field that only our export writes is broken.
        """
        if not isinstance(record, dict):
            kind = type(record).__name__
            raise RowError(f"The row is a JSON {kind}, not an object with a question or an answer.")
        if "question" not in record and "answer" not in record:
            raise RowError(
                "The row has neither question nor answer. Its keys are: "
                f"{', '.join(sorted(map(str, record))[:12]) or 'none'}."
            )
        run = self._text(row, "run", record.get("run")) or self._default_run
        sample = self._sample(row, run, record)
        if run not in self._runs or record.get("run_info") is not None:
            announced = self._run(run, record.get("run_info"))
            self._runs.add(run)
            yield announced
        yield sample

    def _run(self, run: str, info: Any) -> ParsedRun:
        if info is None:
            return ParsedRun(run, run, dataset=self._default_run)
        if not isinstance(info, dict):
            raise RowError("run_info must be an object.")
        return parse_run_info(run, self._default_run, info)

    def _sample(self, row: int, run: str, record: Mapping[str, Any]) -> ParsedSample:
        question = self._text(row, "question", record.get("question"))
        verdicts = parse_verdicts(_expect_list(record, "verdicts"))
        covered = {verdict.metric for verdict in verdicts}
        extra: dict[str, Any] = {}
        if not _KEYS.issuperset(record):
            extra = {key: value for key, value in record.items() if key not in _KEYS}
        if isinstance(record.get("extra"), dict):
            extra = {**record["extra"], **extra}
        return ParsedSample(
            run=run,
            row=row,
            sample_id=_sample_id(record.get("sample_id")),
            question=question,
            answer=self._text(row, "answer", record.get("answer")),
            references=self._references(row, record.get("reference")),
            contexts=self._contexts(row, record.get("contexts")),
            gold=self._gold(row, record),
            scores=self._scores(row, _expect_dict(record, "scores"), covered),
            labels=[
                label
                for name, value in _expect_dict(record, "labels").items()
                if (label := values.as_label(name, value)) is not None
            ],
            tags=_tags(_expect_dict(record, "tags")),
            history=_json(record.get("history")),
            latency=values.as_number(record.get("latency")),
            cost=values.as_number(record.get("cost")),
            error=self._text(row, "error", record.get("error")) or None,
            extra=_json(extra or None),
            verdicts=verdicts,
            human_labels=parse_human_labels(_expect_list(record, "human_labels")),
        )

    def _text(self, row: int, key: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, float) and value != value:
            return ""
        self._notices.add(row, f"{key} is no text; it was kept as its JSON text.")
        return values.as_json(value)

    def _references(self, row: int, value: Any) -> list[str]:
        items = value if isinstance(value, list) else [value]
        texts = [self._text(row, "reference", item) for item in items]
        return [text for text in texts if text != ""]

    def _contexts(self, row: int, value: Any) -> list[ParsedContext] | None:
        if value is None:
            return None
        if isinstance(value, str):
            self._notices.add(row, "contexts is one text; it was taken as one context.")
            value = [value]
        if not isinstance(value, list):
            raise RowError("contexts must be a list of objects or texts.")
        found = [self._context(row, place, item) for place, item in enumerate(value, 1)]
        if len({context.rank for context in found}) != len(found):
            self._notices.add(row, "Ranks repeat in a sample; its contexts were numbered in order.")
            found = [context._replace(rank=place) for place, context in enumerate(found, 1)]
        return found

    def _context(self, row: int, place: int, item: Any) -> ParsedContext:
        if isinstance(item, str):
            return ParsedContext(place, None, item, None, None)
        if not isinstance(item, dict):
            raise RowError(f"Context {place} must be an object or a text.")
        rank = item.get("rank", place)
        if not isinstance(rank, int) or isinstance(rank, bool) or not 1 <= rank <= 2**31 - 1:
            raise RowError(
                f"Context {place} has the rank {rank!r}; ranks are whole numbers from 1."
            )
        text = item.get("text")
        if text is None:
            text = next((item[key] for key in _TEXT_ALIASES if item.get(key) is not None), None)
        doc_id = values.as_id(item.get("doc_id", item.get("id")))
        if text is None and doc_id is None:
            raise RowError(
                f"Context {place} has neither text nor doc_id. Its keys are: "
                f"{', '.join(sorted(map(str, item))) or 'none'}."
            )
        metadata = item.get("metadata")
        if not _CONTEXT_KEYS.issuperset(item):
            others = {key: value for key, value in item.items() if key not in _CONTEXT_KEYS}
            metadata = {**(metadata if isinstance(metadata, dict) else {}), **others}
        return ParsedContext(
            rank,
            doc_id,
            None if text is None else self._text(row, "context text", text),
            values.as_number(item.get("score")),
            _json(metadata),
        )

    def _gold(self, row: int, record: Mapping[str, Any]) -> list[ParsedGold]:
        if record.get("gold") is not None:
            return [self._gold_item(row, item) for item in _expect_list(record, "gold")]
        found: list[ParsedGold] = []
        for number, item in enumerate(_expect_list(record, "gold_doc_ids"), 1):
            if isinstance(item, list):
                found += [ParsedGold(_gold_id(one), None, None, str(number)) for one in item]
            else:
                found.append(ParsedGold(_gold_id(item), None, None, None))
        return found

    def _gold_item(self, row: int, item: Any) -> ParsedGold:
        if not isinstance(item, dict):
            raise RowError("gold must be a list of objects with doc_id or text.")
        doc_id = values.as_id(item.get("doc_id"))
        text = None if item.get("text") is None else self._text(row, "gold text", item["text"])
        if doc_id is None and text is None:
            raise RowError("A gold item has neither doc_id nor text.")
        group = values.as_id(item.get("group"))
        return ParsedGold(doc_id, text, values.as_number(item.get("grade")), group)

    def _scores(self, row: int, scores: Mapping[str, Any], covered: set[str]) -> list[ParsedScore]:
        found = []
        for name, value in scores.items():
            # What stands among the verdicts stands in scores only as their current value.
            if name in covered:
                continue
            score = values.as_score(name, value)
            if score.cause == "unparsable":
                self._notices.add(row, f"A score of {score.metric} is no number: kept as an error.")
            found.append(score)
        return found


def _sample_id(value: Any) -> str | None:
    found = values.as_id(value)
    if found is None and value not in (None, ""):
        raise RowError(f"sample_id must be text or a number, not {values.as_json(value)}.")
    return found


def _gold_id(value: Any) -> str:
    found = values.as_id(value)
    if found is None:
        raise RowError(f"gold_doc_ids holds {values.as_json(value)}; ids are texts or numbers.")
    return found


def _json(value: Any) -> str | None:
    return None if value is None else values.as_json(value)


def _tags(tags: Mapping[str, Any]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for name, value in tags.items():
        for item in value if isinstance(value, list) else [value]:
            if item is None or item == "":
                continue
            found[name, item if isinstance(item, str) else values.as_json(item)] = None
    return list(found)


def _expect_dict(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RowError(f"{key} must be an object of names and values.")
    return value


def _expect_list(record: Mapping[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RowError(f"{key} must be a list.")
    return value
