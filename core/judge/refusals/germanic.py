"""Refusals in German and Dutch."""

from core.judge.refusals.base import W1, W3, W6, W8, Language, Pattern

_DE_FIND = (
    r"(?:beantworten|sagen|angeben|bestimm\w+|ermittel\w+|finden|feststellen|\w*helfen|auskunft"
    r"|angaben?|aussagen?|antwort\w*|information\w*|entnehmen|bestätig\w+|beurteil\w+|berechne\w+"
    r"|geben|machen|nennen|beziffern|ableiten)\b"
)
_DE_INFO = r"(?:information\w*|angaben?|hinweise?|daten|auskunft|details?|kenntnis\w*|antwort)\b"
_DE_NO = r"(?:nicht|nichts|keine?\w*)"
_DE_DONE = (
    r"(?:beantwortet|ermittelt|bestimmt|festgestellt|entnommen|berechnet|beurteilt|gegeben|gemacht)"
)
_DE = (
    Pattern(
        "ich kann nicht",
        "cannot",
        "ich|wir",
        rf" {W1}(?:kann|können|konnte|konnten) {W8}{_DE_NO} {W3}{_DE_FIND}",
    ),
    Pattern(
        "ich kann nicht",
        "cannot",
        "kann ich|können wir|konnte ich|konnten wir",
        rf" {W8}{_DE_NO} {W3}{_DE_FIND}",
    ),
    Pattern(
        "ich habe keine Angaben",
        "cannot",
        "ich|wir|mir|uns",
        r" (?:habe|haben|finde|finden|konnte|konnten|verfüge|verfügen|besitze|liegen|liegt)"
        rf" {W6}kein\w* {W3}{_DE_INFO}",
    ),
    Pattern(
        "ich habe keine Angaben",
        "cannot",
        "habe ich|haben wir|finde ich|finden wir|liegen mir|liegen uns",
        rf" {W6}(?:kein\w* {W3}{_DE_INFO}|nichts)",
    ),
    Pattern("ich fand nichts", "cannot", "ich habe|wir haben", rf" {W6}nichts {W3}gefunden\b"),
    Pattern(
        "lässt sich nicht sagen",
        "cannot",
        "lässt sich|lassen sich",
        rf" {W6}{_DE_NO} {W3}{_DE_FIND}",
    ),
    Pattern(
        "kann nicht beantwortet werden",
        "cannot",
        "kann|können",
        rf" {W8}{_DE_NO} {W3}{_DE_DONE} werden",
    ),
    Pattern("nicht möglich", "cannot", "nicht möglich|unmöglich", rf",? {W6}(?:zu )?{_DE_FIND}"),
    Pattern(
        "nicht genug Angaben",
        "cannot",
        "nicht genug|nicht genügend|nicht ausreichend|unzureichend",
        rf"\w* {W1}{_DE_INFO}",
    ),
    Pattern("nicht in der Lage", "cannot", "bin|sind", rf" {W3}nicht in der lage"),
    Pattern("nicht bekannt", "cannot", "mir|uns|ist mir|ist uns", r" (?:\w+ )?nicht bekannt"),
    Pattern(
        "ich weiß es nicht",
        "unsure",
        "ich weiß|ich weiss|wir wissen|weiß ich|weiss ich|wissen wir",
        rf" {W3}nicht\b",
    ),
    Pattern("nicht sicher", "unsure", "ich bin|bin ich", rf" {W3}nicht (?:ganz )?sicher"),
    Pattern(
        "Quelle schweigt",
        "silent",
        "kontext|dokument|text|unterlagen|information|quelle|abschnitt|auszug|auszüge|handbuch|anleitung|ratgeber"
        "|passage|artikel|angaben|daten|material",
        rf"\w* {W8}(?:enthält|enthalten|erwähn\w+|nenn\w+|gibt|geben|beantworte\w+|macht|machen"
        r"|liefer\w+|geht|gehen|biete\w+|steht|stehen|sagt|sagen|finde\w*|wird|werden|ist|sind)"
        rf" {W6}{_DE_NO}\b",
    ),
    Pattern(
        "keine Angaben",
        "silent",
        "gibt es|es gibt|es liegen|liegen|findet sich|finden sich|enthält|enthalten",
        rf" {W6}kein\w* {W3}{_DE_INFO}",
    ),
    Pattern(
        "nicht in der Quelle",
        "silent",
        "im|in den|in der|in dem|aus dem|aus den|aus der",
        rf" {W3}(?:kontext|text|dokument|unterlage|information|quelle|handbuch|anleitung|abschnitt"
        rf"|angabe|auszug|auszüge)\w* {W6}{_DE_NO} {W3}(?:erwähnt|enthalten|angegeben|genannt"
        r"|beschrieben|hervor|aufgeführt|behandelt|zu finden|beantwortet|ersichtlich)\b",
    ),
    Pattern(
        "fragt nach",
        "ask",
        "bitte",
        r" (?:präzisieren|(?:geben|nennen) sie (?:mir |uns )?(?:mehr|weitere|nähere))\b",
    ),
)


GERMAN = Language(
    "de",
    frozenset(
        "nicht kein keine keinen keiner keinerlei keines keinem nichts unmöglich"
        " unzureichend unzureichende bitte".split()
    ),
    _DE,
    r"(?:es )?tut (?:mir|uns) (?:sehr )?leid|entschuldigung|leider|bedauerlicherweise",
)

_NL_FIND = (
    r"(?:beantwoorden|zeggen|geven|vinden|bepalen|helpen|bevestigen|vaststellen|berekenen"
    r"|achterhalen)\b"
)
_NL_INFO = r"(?:informatie|gegevens|details|toegang|antwoord|vermelding|kennis)\b"
_NL_NO = r"(?:niet|niets|geen)"
_NL = (
    Pattern(
        "ik kan niet",
        "cannot",
        "ik|we|wij",
        rf" (?:\w+ )?(?:kan|kunnen|kon) {W8}{_NL_NO} {W3}{_NL_FIND}",
    ),
    Pattern("ik kan niet", "cannot", "kan ik|kunnen we", rf" {W8}{_NL_NO} {W3}{_NL_FIND}"),
    Pattern(
        "ik heb geen informatie",
        "cannot",
        "ik heb|we hebben|wij hebben|ik vind|ik beschik|heb ik|beschik ik",
        rf" {W6}geen {W3}{_NL_INFO}",
    ),
    Pattern(
        "kan niet worden bepaald",
        "cannot",
        "kan",
        rf" {W6}{_NL_NO} {W3}(?:worden )?(?:beantwoord|bepaald|vastgesteld|berekend|gegeven)\b",
    ),
    Pattern("niet mogelijk", "cannot", "niet mogelijk|onmogelijk", rf",? {W6}te {_NL_FIND}"),
    Pattern(
        "onvoldoende informatie",
        "cannot",
        "onvoldoende|niet genoeg|niet voldoende",
        rf" {W1}{_NL_INFO}",
    ),
    Pattern("ik weet het niet", "unsure", "ik weet|wij weten|we weten|weet ik", rf" {W3}niet\b"),
    Pattern("niet zeker", "unsure", "ik ben", rf" {W3}niet (?:\w+ )?zeker\b"),
    Pattern(
        "bron zwijgt",
        "silent",
        "context|document|tekst|passage|informatie|bron|fragment|artikel|gegevens|handleiding|gids",
        rf"\w* {W8}(?:bevat|bevatten|vermeld\w*|geeft|geven|noem\w*|beschrijf\w*|zegt|biedt"
        rf"|bieden|staat|staan|wordt|worden|is|zijn) {W6}{_NL_NO}\b",
    ),
    Pattern(
        "geen informatie",
        "silent",
        "er is|er zijn|er staat|er wordt",
        rf" {W3}geen {W3}{_NL_INFO}",
    ),
    Pattern("vraagt meer", "ask", "kunt u|kun je|gelieve", rf" {W3}(?:geven|verduidelijken)\b"),
)


DUTCH = Language(
    "nl",
    frozenset("niet geen niets onmogelijk onvoldoende kunt gelieve".split()),
    _NL,
    r"helaas|het spijt (?:me|mij)|sorry",
)
