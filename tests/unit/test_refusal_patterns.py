import pytest

from core.judge.refusal import HEAD_CHARS, TAIL_CHARS, is_refusal
from core.judge.refusals import SPACED, UNSPACED, Language

REFUSALS = {
    "en": (
        "I don't know.",
        "I do not know the answer.",
        "I'm sorry, but I can't help with that.",
        "Sorry, I do not have that information at the moment.",
        "The provided documents do not contain any information about the battery.",
        "Unfortunately, the manual doesn't say how to reset it.",
        "There is no information about this in the context.",
        "I am unable to answer this question based on the given context.",
        "It is not possible to determine the price from the documents.",
        "The answer cannot be determined from the context.",
        "Based on the provided context, I cannot answer this question.",
        "Not enough information.",
        "I couldn’t find anything about this in the handbook.",
        "The context does not mention the weight.",
        "No information available.",
        "Your question is not answered in the provided documents.",
        "I'm not sure.",
        "Information about tyres is not provided in the text.",
        "As an AI, I do not have access to live prices.",
        "That is beyond the scope of my knowledge.",
        "Could you please clarify which model you mean?",
        "Sorry, the context is about tyres, not brakes.",
        "I'm sorry, but you haven't provided the balance sheet.",
        "The handbook does not give a sound level for the motor.",
        "I found nothing about pacemakers in the guide.",
        "Sorry, that question is not related to the given documents.",
    ),
    "de": (
        "Das weiß ich leider nicht.",
        "Dazu habe ich keine Informationen.",
        "Es tut mir leid, aber ich kann diese Frage nicht beantworten.",
        "Im bereitgestellten Kontext wird der Preis nicht erwähnt.",
        "Die Dokumente enthalten keine Angaben zur Garantie.",
        "Leider kann ich dazu keine Auskunft geben.",
        "Aus den Unterlagen geht nicht hervor, wie schwer das Rad ist.",
        "Diese Frage lässt sich anhand der vorliegenden Texte nicht beantworten.",
        "Mir liegen dazu keine Informationen vor.",
        "Der Text enthält keine Information darüber.",
        "Ich bin mir nicht sicher.",
        "Auf Basis des Kontexts kann die Frage nicht beantwortet werden.",
        "Dazu liegen keine Informationen vor.",
        "Ich habe im Handbuch nichts dazu gefunden.",
        "Eine Angabe dazu ist nicht möglich, da sich das nicht ermitteln lässt.",
        "Es sind nicht genügend Informationen vorhanden.",
        "Ich bin leider nicht in der Lage, das zu beantworten.",
        "Das ist mir nicht bekannt.",
        "Bitte nennen Sie mir weitere Einzelheiten.",
        "In der Anleitung ist das nicht beschrieben.",
    ),
    "fr": (
        "Je ne sais pas.",
        "Je suis désolé, mais je ne peux pas répondre à cette question.",
        "Le contexte fourni ne contient aucune information sur la batterie.",
        "Les documents ne mentionnent pas le prix.",
        "Je n'ai pas d'informations à ce sujet.",
        "Il n'est pas possible de déterminer la date à partir du texte.",
        "Aucune information n'est disponible dans le document.",
        "Malheureusement, je ne dispose pas de ces informations.",
        "Je ne suis pas en mesure de répondre à cette question.",
        "Cette information n’est pas précisée dans le contexte.",
        "Il n'y a pas assez d'informations pour répondre.",
        "Informations insuffisantes.",
        "Je ne suis pas sûr.",
        "Pourriez-vous préciser votre question ?",
    ),
    "es": (
        "No lo sé.",
        "Lo siento, no puedo responder a esta pregunta.",
        "El contexto no menciona el peso de la bicicleta.",
        "No tengo información sobre ese tema.",
        "No hay información suficiente para responder.",
        "No se menciona en el documento.",
        "Lamentablemente, no dispongo de datos sobre la garantía.",
        "Los documentos proporcionados no contienen información al respecto.",
        "No es posible determinar la respuesta con el texto.",
        "No se puede responder con la información disponible.",
        "La información no está disponible en el contexto.",
        "Es imposible responder con estos textos.",
        "Información insuficiente.",
        "No estoy segura.",
        "Por favor, especifique el modelo.",
    ),
    "it": (
        "Non lo so.",
        "Mi dispiace, non posso rispondere a questa domanda.",
        "Il contesto non contiene informazioni sulla batteria.",
        "Non ho informazioni al riguardo.",
        "I documenti non menzionano il prezzo.",
        "Purtroppo non è possibile rispondere con le informazioni fornite.",
        "Non ci sono informazioni sufficienti.",
        "L'informazione non è presente nel testo.",
        "Non sono in grado di rispondere alla domanda.",
        "Il testo fornito non specifica la data.",
        "È impossibile rispondere con questi testi.",
        "Non ne sono sicuro.",
        "Non c'è alcuna menzione del peso.",
        "Può fornire il modello esatto?",
        "Nessuna informazione disponibile.",
    ),
    "pt": (
        "Não sei.",
        "Desculpe, não posso responder a essa pergunta.",
        "O contexto não menciona o peso.",
        "Não tenho informações sobre isso.",
        "Não há informações suficientes para responder.",
        "Infelizmente, não encontrei essa informação.",
        "Os documentos não contêm dados sobre a garantia.",
        "Não é possível determinar a resposta.",
        "A informação não está disponível no texto.",
        "É impossível responder com estes textos.",
        "Dados insuficientes.",
        "Não tenho certeza.",
        "Por favor, forneça mais detalhes.",
    ),
    "nl": (
        "Dat weet ik niet.",
        "Sorry, ik kan deze vraag niet beantwoorden.",
        "De context bevat geen informatie over de accu.",
        "Ik heb daar geen informatie over.",
        "Helaas kan ik daar geen antwoord op geven.",
        "Er is geen informatie over de garantie.",
        "In het document wordt de prijs niet vermeld.",
        "Het is niet mogelijk om deze vraag te beantwoorden.",
        "Ik weet het niet.",
        "Dat kan niet worden vastgesteld.",
        "Onvoldoende gegevens.",
        "Ik ben er niet zeker van.",
        "Kunt u meer details geven?",
    ),
    "zh": (
        "抱歉，我无法回答这个问题。",
        "根据提供的资料，没有提到电池的重量。",
        "我不知道。",
        "文中未提及价格。",
        "现有信息不足，无法确定。",
        "很遗憾，文档中没有相关信息。",
        "對不起，資料中沒有提到這個問題。",
        "无法根据上下文回答该问题。",
        "我不确定。",
        "上下文中没有提供足够的信息来回答。",
        "资料里查不到。",
    ),
    "pl": (
        "Nie wiem.",
        "Przykro mi, nie mogę odpowiedzieć na to pytanie.",
        "Dokument nie zawiera informacji o cenie.",
        "Brak informacji na ten temat.",
        "Nie mam danych na ten temat.",
    ),
    "ru": (
        "Я не знаю.",
        "К сожалению, я не могу ответить на этот вопрос.",
        "В контексте нет информации о батарее.",
        "Документ не содержит сведений о цене.",
        "У меня нет данных об этом.",
        "Недостаточно информации.",
    ),
    "ja": (
        "申し訳ありませんが、お答えできません。",
        "その情報は文書に記載されていません。",
        "わかりません。",
        "提供された資料には情報がありません。",
    ),
}
# Answers that hold words of refusals.
ANSWERS = {
    "en": (
        "The warranty does not cover water damage.",
        "No, the brake cannot be used in winter.",
        "Sorry for the confusion! The battery lasts 80 km.",
        "I'm sorry to hear that. Please charge the battery for four hours and try again.",
        "You cannot return the bike after 30 days.",
        "The error means that the server is unable to process your request.",
        "If you do not know the code, press the reset button.",
        'The message "I cannot find the key" appears when the fob is missing.',
        "It is not possible to charge the bike below freezing.",
        "The bike is not available in red.",
        "There is no evidence that the drug works better than placebo.",
        "Without additional cooling, the motor stops after an hour.",
        "Yes. The manual does not recommend it, but it works.",
        "The data does not show a significant difference between the groups.",
        "Please provide your order number when you call the hotline.",
        "It cannot see contradictions.",
    ),
    "de": (
        "Die Garantie gilt nicht für Wasserschäden.",
        "Nein, die Bremse kann im Winter nicht benutzt werden.",
        "Bitte geben Sie die PIN ein.",
        "Das Rad ist nicht in Rot erhältlich.",
        "Leider ist der Rabatt abgelaufen; der Preis beträgt 300 Euro.",
        "Der Akku kann nicht im Rahmen geladen werden.",
        "Es gibt keine Altersgrenze.",
        "Die Karte ist nicht übertragbar, weil der Name aufgedruckt ist.",
    ),
    "fr": (
        "La garantie ne couvre pas les dégâts des eaux.",
        "Il n'y a pas de limite d'âge.",
        "Non, ne chargez pas la batterie sous la pluie.",
        "Vous ne pouvez pas rendre le vélo après 30 jours.",
        "Le vélo n'est pas lourd.",
    ),
    "es": (
        "La garantía no cubre los daños por agua.",
        "No, no se puede cargar bajo la lluvia.",
        "No hay límite de edad.",
        "No debe usar la bicicleta sin casco.",
        "No se permite fumar en el edificio.",
    ),
    "it": (
        "La garanzia non copre i danni da acqua.",
        "Non c'è un limite di età.",
        "Non è consentito fumare.",
        "No, non si può caricare sotto la pioggia.",
        "Il volo non è stato cancellato.",
    ),
    "pt": (
        "A garantia não cobre danos causados por água.",
        "Não há limite de idade.",
        "Não é permitido fumar.",
        "Não, não pode carregar na chuva.",
    ),
    "nl": (
        "De garantie dekt geen waterschade.",
        "Er is geen leeftijdsgrens.",
        "Nee, laad de accu niet in de regen.",
        "Het is niet toegestaan te roken.",
    ),
    "zh": (
        "保修不包括水损坏。",
        "电池不能在零度以下充电。",
        "没有年龄限制。",
        "这辆车没有红色。",
        "他没有参加比赛。",
    ),
    "pl": ("Gwarancja nie obejmuje szkód.",),
    "ru": (
        "Гарантия не распространяется на воду.",
        "Нет, это не опасно.",
    ),
    "ja": (
        "雨の日は充電できません。",
        "保証は水濡れを含みません。",
    ),
}


def cases(by_language: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(code, answer) for code, answers in by_language.items() for answer in answers]


@pytest.mark.parametrize(("code", "answer"), cases(REFUSALS))
def test_refusals_are_found_with_their_language(code: str, answer: str) -> None:
    match = is_refusal(answer)
    assert match.is_refusal
    assert not match.is_partial
    assert match.language == code


@pytest.mark.parametrize(("code", "answer"), cases(ANSWERS))
def test_answers_are_no_refusals(code: str, answer: str) -> None:
    assert not is_refusal(answer).is_refusal, code


@pytest.mark.parametrize("language", [*SPACED, *UNSPACED], ids=lambda one: one.code)
def test_every_pattern_has_an_example_that_only_it_decides(language: Language) -> None:
    found = {is_refusal(answer).pattern for answer in REFUSALS[language.code]}
    assert found == {pattern.name for pattern in language.patterns}


@pytest.mark.parametrize("language", [*SPACED, *UNSPACED], ids=lambda one: one.code)
def test_no_pattern_has_a_group_of_its_own(language: Language) -> None:
    # The number of the empty group that closes a branch says which pattern it was.
    for pattern in language.patterns:
        assert "(" not in pattern.rest.replace("(?", ""), pattern.name
        assert all(pattern.starts.split("|")), pattern.name


@pytest.mark.parametrize("answer", ["", " ", "\n\t\u3000"])
def test_an_empty_answer_is_a_refusal(answer: str) -> None:
    match = is_refusal(answer)
    assert (match.is_refusal, match.is_empty, match.pattern) == (True, True, None)


@pytest.mark.parametrize("answer", ["N/A", "unknown.", "**Unanswerable**", "keine Angabe", "未知"])
def test_a_mark_for_no_answer_is_a_refusal_without_language(answer: str) -> None:
    match = is_refusal(answer)
    assert (match.is_refusal, match.is_empty, match.language) == (True, False, None)


@pytest.mark.parametrize(
    "answer",
    [
        "The battery weighs 2.9 kg. However, the handbook does not mention its colour.",
        "It costs 300 euros, but I do not have information about the discount.",
        "I'm not sure, but the battery should last two years.",
        "The sum is not stated in the text, but it can be calculated: 12 + 30 = 42 euros.",
        "No, the handbook does not mention any second lock.",
        "Das Rad wiegt 21 kg. Über die Farbe enthält das Handbuch keine Angaben.",
        "La batterie pèse 2,9 kg. Le texte ne mentionne pas la couleur.",
    ],
)
def test_an_answer_that_hedges_is_partial(answer: str) -> None:
    match = is_refusal(answer)
    assert (match.is_refusal, match.is_partial) == (False, True)


def test_a_first_sentence_without_answer_refuses_whatever_advice_follows() -> None:
    # People label these as refusals (delucionqa, financebench): the question stays open.
    answer = "The handbook does not say how to clean it. However, mild soap is usually fine."
    assert is_refusal(answer).is_refusal


def test_an_answer_may_come_to_the_conclusion_that_there_is_none() -> None:
    working = "The margin is the profit divided by the revenue. " * 20
    assert len(working) > HEAD_CHARS
    assert is_refusal(working + "Without the revenue, we cannot calculate the margin.").is_refusal
    # The same words without a concluding word are a remark at the end.
    hedge = is_refusal(working + "We cannot calculate the other margin.")
    assert (hedge.is_refusal, hedge.is_partial) == (False, True)


def test_the_middle_of_a_long_answer_is_not_read() -> None:
    filler = "The lamp is red. " * 60
    middle = filler + "I cannot answer this question. " + filler
    assert len(filler) > max(HEAD_CHARS, TAIL_CHARS)
    assert is_refusal(middle) == is_refusal(filler)


def test_words_in_quotation_marks_are_not_the_speakers() -> None:
    assert is_refusal('"I cannot answer this question" is what the old app said.') == is_refusal(
        "The lamp is red."
    )


def test_a_million_characters_are_read_at_both_ends_only() -> None:
    assert not is_refusal("x" * 1_000_000).is_refusal
    assert is_refusal("I don't know. " + "\x00" * 1_000_000).is_refusal
    assert not is_refusal(" " * 1_000_000 + "Red.").is_refusal
