"""What counts as a hit in a run beyond ids and words: the reference, terms rewritten, marks."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from core.metrics.hits import HitOptions
from core.metrics.medical import medical_normaliser, parse_medical_terms


@dataclass(frozen=True, slots=True)
class Marks:
    """What one source said of single contexts, up to a mark: "this one holds the answer".

    ``kind`` is verdict or label, ``name`` the metric or criterion, ``source`` the judge's id, ""
    for people. A value counts from ``cut`` on, or down from it where ``sign`` is -1. Marks made
    after number ``last_no`` are not known to the rule. ``title`` names it all for people.
    """

    kind: str
    name: str
    source: str
    cut: float
    sign: int
    last_no: int
    title: str

    @property
    def key(self) -> str:
        """The source as it is asked for: the metric or criterion, and whose."""
        return (
            f"{self.kind}:{self.name}@{self.source}" if self.source else f"{self.kind}:{self.name}"
        )

    def as_json(self) -> str:
        """A document that ``from_json`` reads."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Marks":
        """The marks of a document."""
        document: Mapping[str, Any] = json.loads(text)
        return cls(**document)


@dataclass(frozen=True, slots=True)
class HitRule:
    """A choice for a run; everything is off by default.

    ``use_reference`` lets the expected answer stand in where a sample has no gold. ``terms`` is
    the text of a table of medical words, by which gold and contexts are rewritten before they are
    compared; ``terms_name`` says which file it was. ``marks`` are believed where words find nothing
    in a context.
    """

    use_reference: bool = False
    terms: str | None = field(default=None, repr=False)
    terms_name: str | None = None
    marks: Marks | None = None

    @property
    def key(self) -> str:
        """Name of the rule: equal rules have equal names, and the plain one has none.

        >>> HitRule().key, HitRule(use_reference=True).key
        ('', 'reference')
        """
        parts = ["reference"] if self.use_reference else []
        if self.terms is not None:
            parts.append(f"terms:{self.terms_key}")
        if self.marks is not None:
            parts.append(f"marks:{_short(self.marks.as_json())}")
        return "+".join(parts)

    @property
    def terms_key(self) -> str:
        """Short name of the table's content; "" without one."""
        return "" if self.terms is None else _short(self.terms)

    def options(self) -> HitOptions:
        """What ``find_hits`` is told.

        Raises:
            BadInputError: the table of words is none.
        """
        normaliser = None
        if self.terms is not None:
            table = parse_medical_terms(self.terms, self.terms_name or "the table of terms")
            normaliser = medical_normaliser(table)
        return HitOptions(use_reference=self.use_reference, normaliser=normaliser)


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


PLAIN = HitRule()
