"""Refusals in English."""

from core.judge.refusals.base import W1, W2, W3, W6, W8, Language, Pattern

_NOT = r" ?(?:not|n'?t)"
_CANNOT = r"(?:can ?not|can'?t|could not|couldn'?t)"
_FIND = (
    r"(?:answer|provide|find|determine|confirm|give|help|assist|locate|calculate|verify|say|tell"
    r"|offer|identify|comment|access|assess|fulfill?|share|retrieve|perform|complete|conclude"
    r"|ascertain|compute|infer|derive|respond|evaluate|state|establish|know|see)\b"
)
_INFO = (
    r"(?:info|information|access|data|details?|knowledge|figures?|context|answers?|evidence"
    r"|statements?|mention|references?|indication|instructions?|records?|specifics|documents?"
    r"|filings?|reports?|numbers)\b"
)
_SAY = (
    r"(?:provide|mention|contain|include|specify|state|say|answer|address|give|discuss|indicate"
    r"|describe|offer|have|list|explain|disclose|reveal|tell|define|detail|identify"
    r"|clarify|related?|relevant|supply|elaborate|refer)\b"
)
_SOURCES = (
    "context|document|passage|text|information|info|evidence|excerpt|source|material|filing"
    "|article|data|content|snippet|paragraph|section|search result|knowledge base|manual"
    "|handbook|guide|brochure|catalogue|page|exhibit|instruction|documentation|statement of"
    "|financial statement|answer to|question"
)
_SILENT = (
    r"(?:provided|mentioned|specified|included|given|stated|disclosed|available|contained|listed"
    r"|discussed|addressed|found|present|covered|described|explained|clear|answered|related"
    r"|relevant)"
)
_EN = (
    Pattern("no access", "always", "i|we", rf" {W1}(?:do|did){_NOT} {W1}have {W2}access\b"),
    Pattern("I cannot", "cannot", "i|we", rf" {W2}{_CANNOT} {W2}{_FIND}"),
    Pattern("I cannot", "cannot", "cannot|can't|unable to", rf" {_FIND} (?:this|that|the|your)\b"),
    Pattern(
        "unable to",
        "cannot",
        "i am|i'm|im|we are|we're",
        rf" (?:\w+ )?(?:unable|not able|incapable)\b(?: (?:to|of) {W2}{_FIND})?",
    ),
    Pattern(
        "I have no information",
        "cannot",
        "i|we",
        rf" {W1}(?:(?:do|did){_NOT} {W1}(?:have|see|find|possess)|have no|lack|found no|see no)"
        rf" {W6}{_INFO}",
    ),
    Pattern(
        "I have no information",
        "cannot",
        "i|we",
        rf" {W1}(?:found|find|see) nothing (?:about|on|in|regarding)\b",
    ),
    Pattern(
        "not possible to",
        "cannot",
        "not possible|not be possible|impossible|not feasible",
        rf" (?:for me )?to {W2}{_FIND}",
    ),
    Pattern(
        "cannot be determined",
        "cannot",
        "cannot|can't|can not|could not",
        rf" be {W2}(?:determined|answered|calculated|ascertained|computed|assessed|derived"
        r"|established|inferred|concluded|confirmed|verified|provided)\b",
    ),
    Pattern(
        "not enough information",
        "cannot",
        "not enough|insufficient|inadequate|no sufficient|not sufficient",
        rf" {W1}{_INFO}",
    ),
    Pattern(
        "out of scope",
        "cannot",
        "beyond|outside|out of",
        r" (?:the )?(?:scope of )?(?:my|our) (?:\w+ )?(?:knowledge|scope|training|expertise)\b",
    ),
    Pattern("I do not know", "unsure", "i|we", rf" {W1}(?:do|really do|simply do){_NOT} know\b"),
    Pattern(
        "not sure",
        "unsure",
        "i am|i'm|im|we are|we're",
        r" (?:\w+ )?(?:not (?:\w+ )?(?:sure|certain|aware)|unsure|uncertain)\b",
    ),
    Pattern(
        "source is silent",
        "silent",
        _SOURCES,
        rf"s? {W8}(?:(?:do|does|did|is|are){_NOT}|{_CANNOT}) {W3}{_SAY}",
    ),
    Pattern(
        "source is silent",
        "silent",
        _SOURCES,
        rf"s? {W3}(?:lacks? |(?:contains?|provides?|has|have|includes?|gives?|makes?) no )",
    ),
    Pattern(
        "no information",
        "silent",
        "there is|there's|there are|there was|there were|i see|i found|found",
        rf" (?:no|not any|n't any) {W3}"
        r"(?:information|info|data|mention|details?|instructions?|answer|references?)\b"
        r"(?! that\b)",
    ),
    Pattern(
        "no information",
        "silent",
        "no",
        rf" {W1}(?:information|data|details|answer|context)"
        r" (?:available|provided|found|given|about|regarding)\b",
    ),
    Pattern(
        "not in the source",
        "silent",
        "is|are|was|were|been",
        rf"{_NOT} {W2}{_SILENT} {W1}(?:in|by|within|from|to|based on) {W3}(?:{_SOURCES})",
    ),
    Pattern(
        "asks for more",
        "ask",
        "could you|can you|would you|please",
        r" (?:please )?(?:clarify|rephrase|(?:provide|specify|give|share)(?: me| us)?(?: with)?"
        r" (?:more|additional|further|some|any|context|details|the (?:necessary|specific|relevant"
        r"|actual)))\b",
    ),
    Pattern(
        "asks for more",
        "ask",
        "need|without|require",
        r" (?:more|additional|further|any) (?:context|information|details)\b",
    ),
    Pattern(
        "wrong subject", "excuse", "context|information|document|text|passage", rf" {W3}is about "
    ),
    Pattern("nothing was given", "excuse", "you haven't|you have not", r" (?:provided|given)\b"),
)

_EN_CUES = (
    "not t cannot cant dont couldnt doesnt unable unsure unclear no insufficient impossible lack"
    " lacks without outside beyond inadequate please sorry need incapable uncertain nothing"
)

ENGLISH = Language(
    "en",
    frozenset(_EN_CUES.split()),
    _EN,
    r"(?:i'?m|i am|we're|we are|my)? ?(?:very |so |really |deeply )?"
    r"(?:sorry|apologies|i apologi[sz]e|apologi[sz]e|unfortunately|i'm afraid|i am afraid)",
)
