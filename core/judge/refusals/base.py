"""How refusals are described: patterns per language, with strengths.

Texts are matched in lower case, with straight apostrophes, single spaces, and without words in
double quotes. A pattern matches where one of its ``starts`` begins a word and ``rest`` follows.
Its strength says when it makes an answer a refusal:

- ``cannot``: the speaker says that no answer is possible. Counts at the start of an answer, and
  at its end where a concluding word leads to it.
- ``silent``: the sources are said not to hold the answer. Counts at the start.
- ``unsure``: a doubt. Counts at the start unless a "but" follows.
- ``ask``: more input is asked for. Counts in the first sentence, or after an apology.
- ``excuse``: the sources are about something else. Counts after an apology only.
- ``always``: no access to the facts. Counts wherever it stands in the part that is read.

``cues`` are words without one of which no pattern of the language matches: a cheap first test.
"""

from dataclasses import dataclass

W1, W2, W3, W6, W8 = (rf"(?:[^\s.!?;]+ ){{0,{n}}}?" for n in (1, 2, 3, 6, 8))
"""Up to n words between two anchors; lazy, so that the nearest anchor wins."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to refuse; ``starts`` are literal texts separated by bars."""

    name: str
    strength: str
    starts: str
    rest: str


@dataclass(frozen=True, slots=True)
class Language:
    """The patterns of one language, its cues, and its words for "sorry" (a regular expression)."""

    code: str
    cues: frozenset[str]
    patterns: tuple[Pattern, ...]
    apology: str = ""
