"""What refusals look like, per language: data for ``core.judge.refusal``."""

from core.judge.refusals.base import Language, Pattern
from core.judge.refusals.english import ENGLISH
from core.judge.refusals.germanic import DUTCH, GERMAN
from core.judge.refusals.other import CHINESE, JAPANESE, POLISH, RUSSIAN
from core.judge.refusals.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH

__all__ = ["SPACED", "UNSPACED", "Language", "Pattern"]

SPACED = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, POLISH, RUSSIAN)
"""Languages with spaces between words."""
UNSPACED = (CHINESE, JAPANESE)
"""Languages without; their cues are characters."""
