"""Refusals in French, Spanish, Italian and Portuguese."""

from core.judge.refusals.base import W1, W2, W3, W6, W8, Language, Pattern

_FR_FIND = (
    r"(?:répondre|déterminer|fournir|trouver|aider|dire|donner|confirmer|préciser|savoir"
    r"|identifier|indiquer|établir|calculer|conclure)\b"
)
_FR_INFO = r"(?:informations?|données?|mention|indications?|réponse|précisions?|détails?|accès)\b"
_FR = (
    Pattern(
        "je ne peux pas",
        "cannot",
        "je ne|nous ne|j'ne",
        r" (?:peux|pouvons|puis|suis|sommes|saurais|parviens|pourrai) pas "
        rf"{W6}{_FR_FIND}",
    ),
    Pattern(
        "je n'ai pas d'information",
        "cannot",
        "je n'ai|nous n'avons|je ne|nous ne",
        rf" {W2}(?:pas|aucune?) {W3}(?:d'|de )?(?:\w+ )?{_FR_INFO}",
    ),
    Pattern(
        "pas possible de",
        "cannot",
        "n'est pas possible|ne m'est pas possible|est impossible|m'est impossible|impossible"
        "|ne permet pas|ne permettent pas",
        rf" (?:de |d'){W3}{_FR_FIND}",
    ),
    Pattern(
        "pas assez d'informations",
        "cannot",
        "pas assez d|pas suffisamment d|trop peu d",
        rf"(?:'|e ){W1}{_FR_INFO}",
    ),
    Pattern(
        "informations insuffisantes", "cannot", "information|données", rf"s? {W1}insuffisantes?\b"
    ),
    Pattern(
        "je ne sais pas", "unsure", "je ne|je n'|nous ne|je", r" (?:le |en )?sa(?:is|vons) pas\b"
    ),
    Pattern("pas sûr", "unsure", "je ne suis", r" pas (?:\w+ )?(?:sûre?|certaine?)\b"),
    Pattern(
        "la source ne dit rien",
        "silent",
        "contexte|document|texte|passage|information|source|extrait|article|données|manuel|guide|notice"
        "|élément",
        rf"s? {W8}(?:ne |n')(?:\w+ )?(?:mentionne|contien|fourni|précise|indique|donne|répond"
        r"|permet|dit|disent|spécifie|comporte|évoque|aborde|offre|inclu|traite|parle|figure)\w*"
        rf" {W3}(?:pas|aucune?|rien)\b",
    ),
    Pattern(
        "aucune information",
        "silent",
        "il n'y a|n'y a|je ne vois|on ne trouve",
        rf" (?:pas|aucune?) (?:d'|de )?{W1}{_FR_INFO}",
    ),
    Pattern("aucune information", "silent", "aucune", rf" {_FR_INFO} {W8}(?:n'|ne |dans )"),
    Pattern(
        "absent de la source",
        "silent",
        "n'est|ne sont|n'a|n'ont|n'apparaît|ne figure|ne figurent",
        r" pas (?:\w+ )?(?:été )?(?:mentionn|précis|indiqu|fourni|spécifi|donn|abord|présent"
        r"|disponible|clair|dans)\w*",
    ),
    Pattern("demande", "ask", "pourriez-vous|pouvez-vous|veuillez", r" (?:préciser|fournir)\b"),
)


FRENCH = Language(
    "fr",
    frozenset(
        "pas aucune aucun rien impossible insuffisante insuffisantes pourriez veuillez"
        " pouvez".split()
    ),
    _FR,
    r"(?:je suis )?(?:vraiment )?désolée?|malheureusement|je regrette",
)

_ES_FIND = (
    r"(?:responder|contestar|determinar|proporcionar|encontrar|ayudar\w*|decir\w*|confirmar"
    r"|dar\w*|saber|ofrecer|indicar|calcular|precisar|establecer|brindar)\b"
)
_ES_INFO = r"(?:informaci[óo]n|informaciones|datos|acceso|mención|detalles|respuesta)\b"
_ES = (
    Pattern(
        "no puedo",
        "cannot",
        "no",
        r" (?:\w+ )?(?:puedo|podemos|podría|es posible|se puede|resulta posible|soy capaz de)"
        rf" {W3}{_ES_FIND}",
    ),
    Pattern(
        "no tengo información",
        "cannot",
        "no",
        r" (?:tengo|tenemos|dispongo|disponemos|cuento|encuentro|encontré|encontramos|poseo"
        rf"|he encontrado|hemos encontrado) {W6}{_ES_INFO}",
    ),
    Pattern("imposible", "cannot", "imposible", rf" {W3}{_ES_FIND}"),
    Pattern(
        "información insuficiente",
        "cannot",
        "no hay suficiente|no hay suficientes|insuficiente|insuficientes",
        rf" {_ES_INFO}",
    ),
    Pattern(
        "información insuficiente", "cannot", "información|datos", r" (?:\w+ )?insuficientes?\b"
    ),
    Pattern("no lo sé", "unsure", "no", r" (?:lo )?(?:sé|sabemos|conozco)\b"),
    Pattern("no estoy seguro", "unsure", "no estoy", r" (?:\w+ )?(?:segur[oa]|ciert[oa])\b"),
    Pattern(
        "la fuente no dice nada",
        "silent",
        "contexto|documento|texto|pasaje|información|fuente|fragmento|artículo|datos|manual|guía"
        "|extracto",
        rf"s? {W8}no (?:se )?(?:mencion|contien|proporcion|incluy|especific|indic|ofrec|dice"
        r"|dicen|respond|da\b|dan\b|abord|aclar|detall|habl|hac|señal|brind|permit)\w*",
    ),
    Pattern(
        "no hay información",
        "silent",
        "no hay|no existe|no existen|no se encuentra|no se encontró|no se proporciona",
        rf" {W6}{_ES_INFO}",
    ),
    Pattern(
        "no está en la fuente",
        "silent",
        "no se|no está|no están|no viene|no aparece|no aparecen|no figura|no figuran",
        r" (?:mencion|especific|indic|proporcion|detall|inclu|disponible|present|en el|en los"
        r"|en la|en las)\w*",
    ),
    Pattern("pide más", "ask", "podría|podrías|por favor", r",? (?:proporcion|especif|aclar)\w*"),
)


SPANISH = Language(
    "es",
    frozenset("no imposible insuficiente insuficientes podría podrías favor".split()),
    _ES,
    r"lo siento|lamentablemente|desafortunadamente|lamento",
)

_IT_FIND = (
    r"(?:rispondere|determinare|fornir\w+|trovare|aiutar\w*|dir\w+|confermare|stabilire|dare"
    r"|sapere|indicare|calcolare|precisare)\b"
)
_IT_INFO = r"(?:informazion[ei]|dat[io]|accesso|dettagli\w*|menzione|risposta|indicazion[ei])\b"
_IT = (
    Pattern(
        "non posso",
        "cannot",
        "non",
        r" (?:posso|possiamo|sono in grado di|siamo in grado di|è possibile|mi è possibile"
        rf"|riesco a|si può|saprei) {W3}{_IT_FIND}",
    ),
    Pattern(
        "non ho informazioni",
        "cannot",
        "non",
        r" (?:ho|abbiamo|dispongo|disponiamo|trovo|ho trovato|abbiamo trovato|possiedo)"
        rf" {W6}{_IT_INFO}",
    ),
    Pattern("impossibile", "cannot", "impossibile", rf" {W3}{_IT_FIND}"),
    Pattern(
        "informazioni insufficienti", "cannot", "informazioni|dati", r" (?:\w+ )?insufficienti\b"
    ),
    Pattern(
        "informazioni insufficienti",
        "cannot",
        "non ci sono|non vi sono",
        rf" (?:sufficienti {_IT_INFO}|{_IT_INFO} sufficienti|abbastanza)",
    ),
    Pattern("non lo so", "unsure", "non", r" (?:lo )?(?:so|sappiamo|conosco)\b"),
    Pattern("non sono sicuro", "unsure", "non sono|non ne sono", r" (?:\w+ )?(?:sicur|cert)[oa]\b"),
    Pattern(
        "la fonte tace",
        "silent",
        "contest|document|test|passaggi|informazioni|font|bran|articol|dati|manuale|guida|estratt",
        rf"\w* {W8}non (?:si )?(?:menzion|contien|conteng|fornis|specific|indic|inclu|riport"
        r"|dic|rispond|offr|cita|precis|tratt|parla|consent|chiar)\w*",
    ),
    Pattern(
        "non ci sono informazioni",
        "silent",
        "non ci sono|non c'è|non vi sono|non esistono|non risultano|non risulta",
        rf" {W6}{_IT_INFO}",
    ),
    Pattern("nessuna informazione", "silent", "nessuna|nessun", rf" {_IT_INFO}"),
    Pattern(
        "non è nella fonte",
        "silent",
        "non è|non sono|non viene|non vengono|non risulta",
        r" (?:menzionat|specificat|fornit|indicat|riportat|presente|presenti|disponibil|trattat"
        r"|chiaro)\w*",
    ),
    Pattern("chiede di più", "ask", "può|potrebbe|puoi|potresti", r" (?:fornir|specific|chiar)\w*"),
)


ITALIAN = Language(
    "it",
    frozenset("non nessuna nessun impossibile insufficienti può potrebbe".split()),
    _IT,
    r"mi dispiace|purtroppo|spiacente",
)

_PT_FIND = (
    r"(?:responder|determinar|fornecer|encontrar|ajudar|dizer|confirmar|dar|saber|oferecer"
    r"|indicar|calcular|localizar|afirmar)\b"
)
_PT_INFO = r"(?:informaç\w+|dados|acesso|menção|detalhes|resposta)\b"
_PT = (
    Pattern(
        "não posso",
        "cannot",
        "não",
        r" (?:\w+ )?(?:posso|podemos|consigo|conseguimos|é possível|sou capaz de|foi possível)"
        rf" {W3}{_PT_FIND}",
    ),
    Pattern(
        "não tenho informações",
        "cannot",
        "não",
        r" (?:tenho|temos|disponho|dispomos|encontrei|encontramos|possuo|achei)"
        rf" {W6}{_PT_INFO}",
    ),
    Pattern("impossível", "cannot", "impossível", rf" {W3}{_PT_FIND}"),
    Pattern(
        "informações insuficientes", "cannot", "informaç|dados", r"\w* (?:\w+ )?insuficientes?\b"
    ),
    Pattern("não sei", "unsure", "não", r" (?:o )?(?:sei|sabemos|conheço)\b"),
    Pattern("não tenho certeza", "unsure", "não tenho|não estou", r" (?:\w+ )?cert(?:eza|[oa])\b"),
    Pattern(
        "a fonte não diz",
        "silent",
        "contexto|documento|texto|passagem|passagens|informaç|fonte|trecho|artigo|dados|manual|guia",
        rf"\w* {W8}não (?:se )?(?:mencion|cont[éêe]m|fornec|inclu|especific|indic|oferec|diz"
        r"|respond|aborda|esclarec|detalh|fala|trat|apresent|traz)\w*",
    ),
    Pattern(
        "não há informações",
        "silent",
        "não há|não existe|não existem|não foram encontrad|não foi encontrad",
        rf"\w* {W6}{_PT_INFO}",
    ),
    Pattern(
        "não está na fonte",
        "silent",
        "não é|não são|não está|não estão|não foi|não foram",
        r" (?:\w+ )?(?:mencionad|especificad|fornecid|indicad|informad|disponíve|presente)\w*",
    ),
    Pattern("pede mais", "ask", "poderia|pode|por favor", r",? (?:forne|especif|esclare)\w*"),
)


PORTUGUESE = Language(
    "pt",
    frozenset("não impossível insuficiente insuficientes poderia favor".split()),
    _PT,
    r"desculpe|infelizmente|lamento|sinto muito",
)
