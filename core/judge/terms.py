"""Terms that the offline judge compares, and how much each of them weighs.

A term is a token without its inflection. The stemmer is light and the same for all languages: it
cuts one common ending of English, German, French, Spanish, Italian, Portuguese or Dutch and
leaves at least four characters (three of a plural such as "keys"). Scripts that put no space
between words are compared by pairs of characters.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from core.text import tokens

_ENDING = re.compile(
    r"(.{4,}?)(?:ings?|ied|ies|edly|ed|ly|ern|ers?|en|em|es|as|os|e|s|n|a|o|i|y)", re.DOTALL
)
# Kana, Thai, Lao, Myanmar, Khmer: runs of letters there are whole phrases.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uff66-\uff9f]")
MAX_TERM_CHARS = 64
"""A longer token (a key, an encoded image) is compared by its first characters."""

# Words that say nothing about the subject. Words that are content in another of the languages
# (such as war, die, man, hat, son) are left out.
STOP_WORDS = frozenset(
    """
a about above after again against all also am an and any are as at be because been before being
below between both but by can could did do does doing down during each either else few for from
further get got had has have having he her here hers him his how however i if in into is it its
itself just let many may me might more most much must my no nor not now of off on once only or other
our ours out over own please same shall she should so some such than that the their theirs them
then there these they this those through to too under until up us very was we were what when where
which while who whom whose why will with would yes you your yours ok okay well yeah sure really
aber als am an auch auf aus bei bin bis bist da damit dann das dass dem den denn der des dich dir
doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen haben habe ich
ihm ihn ihr ihre ihrer im ist ja jede jeder jedes jetzt kann kein keine können mein mich mir mit
muss nach nein nicht nichts noch nur ob oder ohne sehr sein seine sich sie sind so soll um und uns
unser vom von vor warum weil welche welcher welches wenn wer werden wie wir wird wo worden wurde
wurden zu zum zur über
au aux avec ce ces cet cette comme dans de des du elle elles en est et eux il ils je la le les leur
leurs lui ma mais mes moi même ne nos notre nous on ou où par pas plus pourquoi qu quand que quel
quelle quelles quels qui sa sans se ses si sont sur ta te tes toi ton très tu un une vos votre vous
être avoir ont oui non c d j l m n s t y à
al algo como con cual cuando cuál cuándo cómo de del desde donde dónde el ella ellas ellos en entre
era es esa ese eso esta estas este esto estos está están fue ha hay la las le les lo los más me mi
mucho muy nada ni nos nosotros o otra otro para pero por porque qué que quien quién se ser si sin
sobre su sus también te tiene todo tu un una unas uno unos y ya yo sí
agli ai al alla alle anche che chi ci con cosa cui da dal dalla degli dei del della delle di dove è
e ed era gli ha hanno ho il io la le lei li lo loro lui ma mi mia mio nel nella nelle noi non nostro
o per perché più quale quali quando quanto quella quello questa queste questi questo qui se sei si
sia sono su sua sul sulla suo te ti tra tu tutti un una uno voi sì
ao aos as até com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta
este eu foi há isso isto já lhe mais mas meu minha muito na não nas nem no nos nossa nosso num numa
o os ou para pela pelo por porque qual quando que quem se sem ser seu seus sua suas só também te tem
um uma você são está sim
aan al als bij dan dat de deze die dit doch door een en er ge geen had heb hebben heeft hem het hier
hij hoe hun ik in is ja je kan maar me meer met mij mijn naar niet nog nu of om omdat ons onze ook
op over te toch toen tot u uit van veel voor waar waarom wat we wel welke wie wij wordt worden zal
ze zich zij zijn zo zonder
的 了 是 在 我 你 您 他 她 它 们 們 这 這 那 有 和 与 與 就 都 也 很 吗 嗎
呢 吧 啊 着 著 个 個 之 其 为 為 以 及 或
""".split()
)


@lru_cache(maxsize=1 << 17)
def stem(token: str) -> str:
    """The token without one inflectional ending; digits, stop words, short tokens stay as they are.

    >>> [stem(token) for token in ("charging", "charged", "batteries", "battery", "2024", "keys")]
    ['charg', 'charg', 'batter', 'batter', '2024', 'key']
    """
    if token[0].isdigit() or token in STOP_WORDS:
        return token
    if len(token) == 4 and token[3] == "s" and token[2] != "s":
        return token[:3]
    match = _ENDING.fullmatch(token[:MAX_TERM_CHARS])
    return match[1] if match else token[:MAX_TERM_CHARS]


def words(text: str) -> list[str]:
    """Words of a text as they stand, in order: its tokens, phrases cut into pairs of characters."""
    found = tokens(text)
    if not text.isascii() and _UNSPACED.search(text):
        return [part for token in found for part in _parts(token)]
    return found


def terms(text: str) -> list[str]:
    """Terms of a text in order: its words without their endings."""
    return list(map(stem, words(text)))


def _parts(token: str) -> list[str]:
    if len(token) < 3 or not _UNSPACED.search(token):
        return [token]
    return [token[start : start + 2] for start in range(len(token) - 1)]


def content(found: Iterable[str]) -> set[str]:
    """The distinct terms that say something about the subject."""
    return {term for term in found if term not in STOP_WORDS}


_PRIOR_TEXTS = 20
_PRIOR_STOP = 16


@dataclass(frozen=True, slots=True)
class TermWeights:
    """How rare a term is in a run: 1 + ln((N + 1) / (df + 1)), at least 1.

    N texts were read and df of them hold the term. A prior stands for twenty more texts of which
    sixteen hold the stop words and none any other term; it decides in tiny runs and fades in
    large ones.
    """

    n_texts: int
    counts: Mapping[str, int]
    _cache: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, term: str) -> float:
        """Weight of a term; terms that no text holds weigh most."""
        known = self._cache.get(term)
        if known is None:
            seen = self.counts.get(term, 0) + (_PRIOR_STOP if term in STOP_WORDS else 0)
            known = 1 + log((self.n_texts + _PRIOR_TEXTS + 1) / (seen + 1))
            if len(self._cache) < _CACHE_TERMS:
                self._cache[term] = known
        return known


_CACHE_TERMS = 200_000


def fit(texts: Iterable[str]) -> TermWeights:
    """Term weights of a run, from its contexts (or from other texts of it where it has none)."""
    n_texts = 0
    counts: Counter[str] = Counter()
    for text in texts:
        n_texts += 1
        counts.update(set(terms(text)))
    return TermWeights(n_texts, counts)
