"""Which contexts hold the evidence, and which repeat an earlier one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Literal

from core.metrics.evidence import (
    Piece,
    Rewrite,
    Similarity,
    find_text,
    is_evidence,
    pieces_by_id,
    pieces_by_text,
    wanted,
)
from core.model import Cause, Context, Gold
from core.text import tokens

HitStage = Literal["gold_id", "substring", "token_recall", "embedding", "judge"]
HitBasis = Literal["gold_id", "gold_text", "reference"]

DUPLICATE_AT = 0.80


@dataclass(frozen=True, slots=True)
class HitPolicy:
    """How much of a sample's evidence must be retrieved for a hit: any of it, all, or a share."""

    share: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is no share.

        Raises:
            ValueError: the share is not in 0..1.
        """
        if not isfinite(self.share) or not 0 <= self.share <= 1:
            raise ValueError(f"a hit policy needs a share from 0 to 1, not {self.share}")

    @classmethod
    def parse(cls, text: str) -> "HitPolicy":
        """Policy from ``any``, ``all`` or ``fraction>=0.5``, for which ``0.5`` will do.

        Raises:
            ValueError: none of these.

        >>> HitPolicy.parse("fraction>=0.5").is_met(1, 2), HitPolicy.parse("all").is_met(1, 2)
        (True, False)
        """
        name, _, share = text.replace(" ", "").partition(">=")
        if name[:1].isdigit() or name[:1] == ".":
            name, share = "fraction", name
        if name == "fraction" and share:
            return cls(float(share))
        if share or name not in ("any", "all"):
            raise ValueError(f"hit policy {text!r}: use any, all or fraction>=0.5")
        return cls(1.0 if name == "all" else 0.0)

    def __str__(self) -> str:
        """The policy as ``parse`` reads it."""
        return {0.0: "any", 1.0: "all"}.get(self.share, f"fraction>={self.share:g}")

    def is_met(self, n_held: int, n_pieces: int) -> bool:
        """True if so many pieces of evidence are enough; none at all never is."""
        return n_held > 0 and n_held >= self.share * n_pieces - 1e-9


ANY = HitPolicy()
ALL = HitPolicy(1.0)


@dataclass(frozen=True, slots=True)
class HitOptions:
    """What may count as a hit beyond ids and words; all of it is off by default.

    ``use_reference`` lets the expected answer stand in where there is no gold. ``normaliser``
    rewrites gold and contexts before their words are compared. ``similarity`` compares two texts
    (0..1); a context whose best sentence reaches 0.75 is then a hit.
    """

    use_reference: bool = False
    normaliser: Rewrite | None = None
    similarity: Similarity | None = None


DEFAULT_OPTIONS = HitOptions()


@dataclass(frozen=True, slots=True)
class Hits:
    """Hits of one sample.

    ``basis`` is the one kind of evidence that was used, None with a ``cause`` where hits are
    undefined. Per context, in the order given: ``stages`` holds the test that fired, or None;
    ``held`` the pieces of evidence in it, by their place in ``grades``; ``repeats`` whether an
    earlier context is the same document. ``grades`` has one entry per piece: a group of gold
    items, of which any will do, is one piece. ``n_left_out`` gold items do not fit the basis.
    """

    basis: HitBasis | None
    stages: tuple[HitStage | None, ...]
    cause: Cause | None = None
    held: tuple[tuple[int, ...], ...] = ()
    grades: tuple[float, ...] = ()
    repeats: tuple[bool, ...] = ()
    n_left_out: int = 0

    @property
    def first(self) -> int | None:
        """Place of the first hit, from 1, or None."""
        return next((place for place, stage in enumerate(self.stages, 1) if stage), None)

    @property
    def is_proxy(self) -> bool:
        """True if a hit rests on a judge's word alone."""
        return "judge" in self.stages

    def n_held(self, k: int | None = None) -> int:
        """Pieces of evidence that the first k contexts (all without k) hold together."""
        return len(set(chain.from_iterable(self.held[:k])))

    def is_hit(self, policy: HitPolicy = ANY, k: int | None = None) -> bool | None:
        """True if the first k contexts (all without k) hold enough; None where undefined."""
        return None if self.basis is None else policy.is_met(self.n_held(k), len(self.grades))


def find_hits(
    contexts: Sequence[Context] | None,
    gold: Sequence[Gold],
    references: Sequence[str] = (),
    options: HitOptions = DEFAULT_OPTIONS,
    judged: Sequence[bool | None] = (),
) -> Hits:
    """Contexts that hold at least one piece of the sample's evidence.

    One basis per sample, never a mixture: gold ids if there are any and the contexts have ids,
    else gold texts, else, if switched on, the references (alternatives of one another). Gold that
    is graded 0 or less is no evidence. A text is held if its tokens occur in the context one
    after another; or if at least 80 % of its distinct tokens occur close together; or, if
    switched on, by similarity; or if a judge says so (``judged``, one entry per context).
    Contexts None (not recorded) and a sample without usable evidence are undefined; an empty list
    is a miss. Source: the hit function of RAG-X (arXiv 2603.03541), on token boundaries.

    >>> context = Context(rank=1, text="Female 65 years and older", doc_id="a")
    >>> find_hits([context], [Gold(text="male 65 years")]).stages   # no token "male"; 2 of 3
    (None,)
    >>> find_hits([context], [Gold(text="65 years")]).stages
    ('substring',)
    """
    if contexts is None:
        return Hits(None, (), Cause.CONTEXTS_NOT_RECORDED)
    items = [item for item in gold if is_evidence(item)]
    by_id, by_text = pieces_by_id(items), pieces_by_text(items)
    if by_id and _are_ids_usable(contexts, has_texts=bool(by_text)):
        return _hits_by_id(contexts, by_id, sum(not item.doc_id for item in items))
    left_out = sum(not tokens(item.text or "") for item in items)
    basis: HitBasis = "gold_text"
    if not by_text and options.use_reference and any(map(tokens, references)):
        basis, by_text = "reference", [Piece(1.0, frozenset(references))]
    if not by_text:
        return Hits(None, (), Cause.NO_GOLD, n_left_out=left_out)
    pieces = [wanted(piece, options.normaliser) for piece in by_text]
    found = [
        find_text(
            context.text or "",
            pieces,
            options.normaliser,
            options.similarity,
            judged[place] if place < len(judged) else None,
        )
        for place, context in enumerate(contexts)
    ]
    return Hits(
        basis,
        tuple(stage for stage, _ in found),
        held=tuple(held for _, held in found),
        grades=tuple(piece.grade for piece in by_text),
        repeats=_repeated_ids(contexts),
        n_left_out=left_out,
    )


def _hits_by_id(contexts: Sequence[Context], pieces: Sequence[Piece], left_out: int) -> Hits:
    numbers: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        for doc_id in piece.options:
            numbers.setdefault(doc_id, []).append(number)
    held = tuple(tuple(numbers.get(context.doc_id or "", ())) for context in contexts)
    return Hits(
        "gold_id",
        tuple("gold_id" if found else None for found in held),
        held=held,
        grades=tuple(piece.grade for piece in pieces),
        repeats=_repeated_ids(contexts),
        n_left_out=left_out,
    )


def _repeated_ids(contexts: Sequence[Context]) -> tuple[bool, ...]:
    seen: set[str] = set()
    result = []
    for context in contexts:
        result.append(context.doc_id in seen)
        if context.doc_id:
            seen.add(context.doc_id)
    return tuple(result)


def _are_ids_usable(contexts: Sequence[Context], has_texts: bool) -> bool:
    with_id = sum(bool(context.doc_id) for context in contexts)
    # Where only some contexts have ids, texts can test all of them; without texts ids must do.
    return with_id == len(contexts) or (with_id > 0 and not has_texts)


# --- duplicates -----------------------------------------------------------------------------------


def duplicate_of(contexts: Sequence[Context]) -> list[int | None]:
    """Per context the rank of the first earlier context with the same text, or None.

    The same means equal, or a token Jaccard index |A & B| / |A | B| of at least 0.80. "Earlier"
    follows the order given. A context without text repeats nothing.

    >>> one, two = Context(1, "the red bike lamp"), Context(2, "The red bike-lamp!")
    >>> duplicate_of([one, two])
    [None, 1]
    """
    seen: list[tuple[int, str, frozenset[str]]] = []
    result: list[int | None] = []
    for context in contexts:
        if not context.text:
            result.append(None)
            continue
        words = frozenset(tokens(context.text))
        result.append(next(_repeats(context.text, words, seen), None))
        seen.append((context.rank, context.text, words))
    return result


def _repeats(
    text: str, words: frozenset[str], seen: Sequence[tuple[int, str, frozenset[str]]]
) -> Iterator[int]:
    for rank, earlier_text, earlier in seen:
        if text == earlier_text or jaccard(words, earlier) >= DUPLICATE_AT:
            yield rank


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared tokens of two sets / tokens of either; 0 when both are empty.

    >>> jaccard(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    either = len(one | other)
    return len(one & other) / either if either else 0.0
