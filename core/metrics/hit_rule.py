"""What counts as a hit in a run beyond ids and words: the reference, and the rewriting of terms."""

from dataclasses import dataclass, field
from hashlib import sha256

from core.metrics.hits import HitOptions
from core.metrics.medical import medical_normaliser, parse_medical_terms


@dataclass(frozen=True, slots=True)
class HitRule:
    """A choice for a run; everything is off by default.

    ``use_reference`` lets the expected answer stand in where a sample has no gold. ``terms`` is
    the text of a table of medical words, by which gold and contexts are rewritten before they are
    compared; ``terms_name`` says which file it was.
    """

    use_reference: bool = False
    terms: str | None = field(default=None, repr=False)
    terms_name: str | None = None

    @property
    def key(self) -> str:
        """Name of the rule: equal rules have equal names, and the plain one has none.

        >>> HitRule().key, HitRule(use_reference=True).key
        ('', 'reference')
        """
        parts = ["reference"] if self.use_reference else []
        if self.terms is not None:
            parts.append(f"terms:{sha256(self.terms.encode()).hexdigest()[:12]}")
        return "+".join(parts)

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


PLAIN = HitRule()
