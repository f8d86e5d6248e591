"""What kind of answer a question asks for: lets short answers count that share no word with it."""

import re

from core.text import normalise, tokens

SHORT_TOKENS = 10
FLOOR = 0.5
"""Least answer relevance of a short answer of the kind that was asked for."""

YES = frozenset("yes yeah ja oui sí si sì sim da tak 是 はい".split())
NO = frozenset("no nope nein non não nee nie нет 否 不 いいえ".split())

_OPEN = frozenset(
    "what which who whom whose when where why how was welche welcher welches wer wen wem wann wo"
    " warum wieso wie que quel quelle quels quelles qui quand où pourquoi comment combien qué cuál"
    " quién cuándo dónde cómo cuánto cuántos cuántas che cosa quale quali chi quando dove perché"
    " come quanto quanti qual quem onde como quantos wat welk welke wie wanneer waar waarom hoe"
    " hoeveel".split()
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|far|often|high|tall|heavy|big|large|fast|wide|deep)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:year|time|percentage|number|date|price|amount|age|share|ratio"
    r"|weight|distance|speed|temperature)s?\b"
    r"|\bwhen\b|\bwie (?:viele?|lange?|alt|hoch|oft|weit|schwer|groß|schnell)\b|\bwann\b"
    r"|\bwelche[mns]? (?:jahr|datum|preis|zahl|tag)\b|\bcombien\b|\bquand\b"
    r"|\bquelle (?:année|date|heure)\b|\bcuánt\w+|\bcuándo\b|\bqué año\b|\bquant[oaie]s?\b"
    r"|\bquando\b|\bche anno\b|\bhoeveel\b|\bwanneer\b|\bhoe (?:lang|oud|ver|vaak|hoog|zwaar)\b"
    r"|多少|几|幾|什么时候|什麼時候|何时|何時|哪年|いつ|いくつ|何年"
)


def kind_fits(question: str, answer: str) -> str | None:
    """Kind of a short answer, if it is the kind that the question asks for, else None.

    The kinds are "yes_no" and "number".

    >>> kind_fits("How many gears does it have?", "11"), kind_fits("Is it heavy?", "No, 21 kg.")
    ('number', 'yes_no')
    >>> kind_fits("Who built it?", "In 2015") is None
    True
    """
    given = tokens(answer[:400])
    if not given or len(given) > SHORT_TOKENS:
        return None
    asked = tokens(question[-400:])
    if given[0] in YES or given[0] in NO:
        return None if not asked or asked[0] in _OPEN else "yes_no"
    has_digit = any(character.isdigit() for token in given for character in token)
    if has_digit and _ASKS_NUMBER.search(normalise(question[-400:])):
        return "number"
    return None
