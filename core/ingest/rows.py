"""One neutral record as a sample: what each field may hold, and what is done where it does not."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from core.ingest import claim_fields, values
from core.ingest.export_fields import (
    parse_human_labels,
    parse_label_parts,
    parse_run_info,
    parse_verdicts,
)
from core.records import (
    Item,
    Notices,
    ParsedContext,
    ParsedGold,
    ParsedRun,
    ParsedSample,
    ParsedScore,
)

MAX_TEXT = 10_000_000
MAX_CONTEXTS = 1_000
KEYS = {
    "run", "sample_id", "question", "answer", "reference", "contexts", "gold_doc_ids", "gold",
    "scores", "labels", "tags", "history", "latency", "cost", "error", "extra", "verdicts",
    "human_labels", "label_parts", "run_info", "claims",
}  # fmt: skip
_CONTEXT_KEYS = {"text", "doc_id", "rank", "score", "metadata"}
_TEXT_KEYS = ("text", "content", "page_content")
_ID_KEYS = ("doc_id", "id")
_MAX_RANK = 2**31 - 1


class RowError(ValueError):
    """A row that cannot be stored as it stands; the message says why."""


class RowReader:
    """Turns one object after the other into samples; remembers which runs it has announced."""

    def __init__(
        self,
        default_run: str,
        notices: Notices,
        announced: Collection[str] = (),
        *,
        decides_by_error: bool = True,
    ) -> None:
        """Without ``decides_by_error`` scores stand even where the row tells an error."""
        self._default_run = default_run
        self._notices = notices
        self._runs = set(announced)
        self._decides_by_error = decides_by_error

    def read(self, row: int, record: Any) -> Iterator[Item]:
        """Yield the run where it is new, and the sample of one row, whose texts are clean.

        Raises:
            ValueError: the row cannot be stored as it stands; the message says why.
        """
        if not isinstance(record, dict):
            kind = type(record).__name__
            raise RowError(f"The row is a JSON {kind}, not an object with a question or an answer.")
        if "question" not in record and "answer" not in record:
            raise RowError(
                "The row has neither question nor answer. Its keys are: "
                f"{', '.join(sorted(map(str, record))[:12]) or 'none'}."
            )
        record = {key: values.known(value) for key, value in record.items()}
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
        for key in ("history", "verdicts", "human_labels", "claims"):
            _check_texts(key, record.get(key))
        question = self._text(row, "question", record.get("question"))
        verdicts = parse_verdicts(_expect_list(record, "verdicts"))
        covered = {verdict.metric for verdict in verdicts}
        extra: dict[str, Any] = {}
        if not KEYS.issuperset(record):
            extra = {key: value for key, value in record.items() if key not in KEYS}
        if record.get("extra") is not None:
            inner = record["extra"]
            extra = {**(inner if isinstance(inner, dict) else {"extra": inner}), **extra}
        error = record.get("error") if values.is_error(record.get("error")) else None
        has_failed = error is not None and self._decides_by_error
        claims = record.get("claims")
        if claims is not None and not isinstance(claims, dict):
            self._notices.add(
                row, "claims is no object with the claims of answer or reference: kept as extra."
            )
            claims, extra["claims"] = None, claims
        sample = ParsedSample(
            run=run,
            row=row,
            sample_id=_sample_id(record.get("sample_id")),
            question=question,
            answer=self._text(row, "answer", record.get("answer")),
            references=self._references(row, record.get("reference")),
            contexts=self._contexts(row, record.get("contexts")),
            gold=self._gold(row, record),
            scores=self._scores(row, _expect_dict(record, "scores"), covered, has_failed),
            labels=[
                label
                for name, value in _expect_dict(record, "labels").items()
                if (label := values.as_label(name, value)) is not None
                and _check_length(f"Label {name!r}", label.category or "") is not None
            ],
            tags=_tags(_expect_dict(record, "tags")),
            history=_json(record.get("history")),
            latency=self._number(row, "latency", record, extra),
            cost=self._number(row, "cost", record, extra),
            error=self._text(row, "error", error) or None,
            extra=_extra(extra),
            verdicts=verdicts,
            human_labels=parse_human_labels(_expect_list(record, "human_labels")),
            label_parts=parse_label_parts(record.get("label_parts")),
        )
        if claims:
            self._add_claims(sample, claims)
        return sample

    def _add_claims(self, sample: ParsedSample, value: Mapping[str, Any]) -> None:
        """Keep the claims and what they give, unless the file says itself what they give."""
        found = claim_fields.parse_claims(value, sample.contexts)
        if found is None:
            return
        sample.claims = claim_fields.counted(found, sample.contexts)
        verdicts = claim_fields.claim_verdicts(found, sample.contexts)
        claim_fields.say_differences(
            sample.row, verdicts, sample.scores, sample.verdicts, self._notices
        )
        if not claim_fields.is_counted(sample.verdicts):
            sample.verdicts += verdicts

    def _text(self, row: int, key: str, value: Any) -> str:
        if isinstance(value, str):
            return _check_length(key, value)
        if values.known(value) is None:
            return ""
        self._notices.add(row, f"{key} is no text; it was kept as its JSON text.")
        return values.as_json(value)

    def _number(
        self, row: int, key: str, record: Mapping[str, Any], extra: dict[str, Any]
    ) -> float | None:
        value = record.get(key)
        if value is None:
            return None
        number = values.as_number(value)
        if number is None and not values.is_absent(value):
            self._notices.add(row, f"{key} is no number; it was kept among the other fields.")
            extra[key] = value
        return number

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
        elif isinstance(value, dict):
            self._notices.add(row, "contexts is an object; its keys were taken as ids of contexts.")
            value = _contexts_of_object(value)
        if not isinstance(value, list):
            raise RowError("contexts must be a list of objects or texts.")
        if len(value) > MAX_CONTEXTS:
            raise RowError(
                f"The row has {len(value):,} contexts, more than the limit of {MAX_CONTEXTS:,}."
            )
        items = [item for item in value if values.known(item) is not None]
        if len(items) < len(value):
            self._notices.add(row, "contexts has items null or NaN; they were left out.")
        found = [self._context(row, place, item) for place, item in enumerate(items, 1)]
        if len({context.rank for context in found}) != len(found):
            self._notices.add(row, "Ranks repeat in a sample; its contexts were numbered in order.")
            found = [context._replace(rank=place) for place, context in enumerate(found, 1)]
        return found

    def _context(self, row: int, place: int, item: Any) -> ParsedContext:
        if isinstance(item, str):
            return ParsedContext(place, None, self._text(row, "A context", item), None, None)
        if not isinstance(item, dict):
            raise RowError(f"Context {place} must be an object or a text.")
        text, doc_id = values.known(item.get("text")), values.known(item.get("doc_id"))
        others: dict[str, Any] = {}
        if not _CONTEXT_KEYS.issuperset(item):
            others = {key: value for key, value in item.items() if key not in _CONTEXT_KEYS}
            text, doc_id = _taken(_TEXT_KEYS, text, others), _taken(_ID_KEYS, doc_id, others)
        score = self._number(row, "score", item, others)
        metadata = item.get("metadata")
        if others:
            named = metadata if isinstance(metadata, dict) else {"metadata": metadata}
            metadata = {**({} if metadata is None else named), **others}
        _check_texts("The metadata of a context", metadata)
        _check_texts("doc_id", doc_id)
        if text is None:
            self._check_text_is_missing(row, place, doc_id, item)
        return ParsedContext(
            _rank(place, values.known(item.get("rank"))),
            None if doc_id is None else values.as_id(doc_id) or values.as_json(doc_id),
            None if text is None else self._text(row, "The text of a context", text),
            score,
            _json(metadata),
        )

    def _check_text_is_missing(
        self, row: int, place: int, doc_id: Any, item: Mapping[str, Any]
    ) -> None:
        keys = ", ".join(sorted(map(str, item))) or "none"
        if doc_id is None:
            raise RowError(f"Context {place} has neither text nor doc_id. Its keys are: {keys}.")
        if "text" not in item and not _CONTEXT_KEYS.issuperset(item):
            self._notices.add(
                row, f"Contexts have no key text, only {keys}: their text is unknown."
            )

    def _gold(self, row: int, record: Mapping[str, Any]) -> list[ParsedGold]:
        items = _expect_list(record, "gold")
        if items:
            return [self._gold_item(row, item) for item in items]
        found: list[ParsedGold] = []
        for number, item in enumerate(_expect_list(record, "gold_doc_ids"), 1):
            if values.known(item) is None:
                self._notices.add(row, "gold_doc_ids has items null or NaN; they were left out.")
            elif isinstance(item, list):
                ids = [_gold_id(one) for one in item if values.known(one) is not None]
                found += [ParsedGold(one, None, None, str(number)) for one in ids]
            else:
                found.append(ParsedGold(_gold_id(item), None, None, None))
        return found

    def _gold_item(self, row: int, item: Any) -> ParsedGold:
        if not isinstance(item, dict):
            raise RowError("gold must be a list of objects with doc_id or text.")
        doc_id = values.as_id(item.get("doc_id"))
        given = values.known(item.get("text"))
        text = None if given is None else self._text(row, "gold text", given)
        if doc_id is None and text is None:
            raise RowError("A gold item has neither doc_id nor text.")
        group = values.as_id(item.get("group"))
        return ParsedGold(doc_id, text, values.as_number(item.get("grade")), group)

    def _scores(
        self, row: int, scores: Mapping[str, Any], covered: set[str], has_failed: bool
    ) -> list[ParsedScore]:
        found = []
        for name, value in scores.items():
            # What stands among the verdicts stands in scores only as their current value.
            if name in covered:
                continue
            score = values.as_score(name, value)
            _check_length(f"Score {name!r}", score.raw or "")
            if has_failed:
                score = values.failed(score, value)
            if score.cause == "unparsable":
                self._notices.add(row, f"A score of {score.metric} is no number: kept as an error.")
            found.append(score)
        return found


def _sample_id(value: Any) -> str | None:
    found = values.as_id(value)
    if found is None and value not in (None, ""):
        raise RowError(f"sample_id must be text or a number, not {values.as_json(value)}.")
    return None if found is None else _check_length("sample_id", found)


def _gold_id(value: Any) -> str:
    found = values.as_id(value)
    if found is None:
        raise RowError(f"gold_doc_ids holds {values.as_json(value)}; ids are texts or numbers.")
    return _check_length("gold_doc_ids", found)


def _contexts_of_object(value: Mapping[str, Any]) -> list[Any]:
    if any(key in value for key in _TEXT_KEYS):
        return [value]
    return [
        {"doc_id": key, **item} if isinstance(item, dict) else {"doc_id": key, "text": item}
        for key, item in value.items()
    ]


def _taken(keys: tuple[str, ...], known: Any, others: dict[str, Any]) -> Any:
    """The value under the first key that has one; what stays in ``others`` is kept as metadata."""
    if known is not None:
        return known
    for key in keys:
        if values.known(others.get(key)) is not None:
            return others.pop(key)
    return None


def _rank(place: int, value: Any) -> int:
    if value is None:
        return place
    rank = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(rank, int) or isinstance(rank, bool) or not 1 <= rank <= _MAX_RANK:
        raise RowError(f"Context {place} has the rank {value!r}; ranks are whole numbers from 1.")
    return rank


def _json(value: Any) -> str | None:
    return None if value is None else values.as_json(value)


def _extra(extra: dict[str, Any]) -> str | None:
    text = _json(extra or None)
    if text is not None and len(text) > MAX_TEXT:
        for key, value in extra.items():
            _check_length(key, value if isinstance(value, str) else values.as_json(value))
    return text


def _check_texts(key: str, value: Any) -> None:
    if isinstance(value, str):
        _check_length(key, value)
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            _check_texts(key, item)


def _check_length(key: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise RowError(f"{key} has {len(text):,} characters, more than the limit of {MAX_TEXT:,}.")
    return text


def _tags(tags: Mapping[str, Any]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for name, value in tags.items():
        for item in value if isinstance(value, list) else [value]:
            if item == "" or values.known(item) is None:
                continue
            text = item if isinstance(item, str) else values.as_json(item)
            found[name, _check_length(f"Tag {name!r}", text)] = None
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
