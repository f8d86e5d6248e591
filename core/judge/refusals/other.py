"""Refusals in Polish, Russian, Chinese and Japanese."""

from core.judge.refusals.base import W1, W3, W6, Language, Pattern

_PL = (
    Pattern(
        "nie mogę",
        "cannot",
        "nie",
        r" (?:mogę|możemy|jestem w stanie|potrafię|da się|można) "
        rf"{W3}(?:odpowiedzieć|udzielić|znaleźć|określić|ustalić|podać|pomóc|stwierdzić)\b",
    ),
    Pattern(
        "nie mam informacji",
        "cannot",
        "nie mam|nie mamy|nie posiadam|nie znalazłem|nie znalazłam|nie znaleziono",
        rf" {W3}(?:informacji|danych|dostępu|odpowiedzi)\b",
    ),
    Pattern("nie wiem", "unsure", "nie wiem", r"\b"),
    Pattern(
        "źródło milczy",
        "silent",
        "kontekst|dokument|tekst|fragment|informacje|źródł",
        rf"\w* {W6}nie (?:\w+ )?(?:zawiera|wspomina|podaje|określa|odpowiada|mówi|dostarcza)\w*",
    ),
    Pattern(
        "brak informacji",
        "silent",
        "nie ma|brak|brakuje",
        rf" {W3}(?:informacji|danych|wzmianki|odpowiedzi)\b",
    ),
)

POLISH = Language(
    "pl", frozenset("nie brak brakuje".split()), _PL, r"przykro mi|niestety|przepraszam"
)

_RU_INFO = r"(?:информации|данных|сведений|доступа|ответа|упоминани\w+)\b"
_RU = (
    Pattern(
        "не могу",
        "cannot",
        "не могу|не можем|не удалось|не удается|не удаётся|невозможно",
        rf" {W3}(?:ответить|найти|определить|предоставить|сказать|помочь|дать|установить)\b",
    ),
    Pattern("нет информации", "cannot", "у меня нет|у нас нет", rf" {W3}{_RU_INFO}"),
    Pattern("недостаточно информации", "cannot", "недостаточно", rf" {W1}{_RU_INFO}"),
    Pattern("не знаю", "unsure", "не знаю|не уверен", r"\w*\b"),
    Pattern(
        "источник молчит",
        "silent",
        "контекст|документ|текст|отрыв|информаци|источник",
        rf"\w* {W6}(?:не (?:\w+ )?(?:содерж|упомина|указыва|указан|сообща|дает|даёт|отвеча"
        rf"|предоставл)\w*|нет {W3}{_RU_INFO})",
    ),
)

RUSSIAN = Language(
    "ru",
    frozenset("не нет невозможно недостаточно".split()),
    _RU,
    r"к сожалению|извините|простите",
)

_ZH = (
    Pattern(
        "无法回答",
        "cannot",
        "无法|無法|不能|没有办法|沒有辦法|难以|難以|没法|沒法",
        r"[^。！？]{0,14}?(?:回答|确定|確定|提供|判断|判斷|找到|得知|确认|確認|给出|給出|帮助|幫助"
        r"|计算|計算|解答|得出|答复|答覆)",
    ),
    Pattern(
        "信息不足",
        "cannot",
        "信息|资料|内容|內容|资讯|資訊|資料|数据|證據|证据",
        r"(?:不足|不够|不夠)",
    ),
    Pattern("我不知道", "cannot", "我", r"们?(?:并|並)?不(?:太)?(?:知道|清楚|了解|瞭解)"),
    Pattern("我不确定", "unsure", "我", r"们?不(?:太)?(?:确定|確定)"),
    Pattern(
        "资料没有提到",
        "silent",
        "没有|沒有|未|并未|並未|没|沒",
        r"(?:在[^。！？]{0,8}?)?(?:直接|明确|明確|具体|具體|详细|詳細|任何|足够|足夠|相关|相關){0,2}"
        r"(?:提供|提及|提到|说明|說明|包含|涉及|给出|給出|找到|关于|關於|有关|有關|描述|指出|的信息"
        r"|信息|資訊|资料|資料)",
    ),
    Pattern("找不到", "silent", "找不到|查不到", ""),
)

CHINESE = Language(
    "zh", frozenset("无無不没沒未"), _ZH, r"(?:很|非常)?(?:抱歉|对不起|對不起|遗憾|遺憾)"
)

_JA = (
    Pattern(
        "お答えできません",
        "cannot",
        "答え|回答|提供|判断|特定|確認|お手伝い|説明|お伝え",
        r"[^。！？]{0,8}?(?:できません|できない|しかねます|できかねます)",
    ),
    Pattern("わかりません", "cannot", "わかりません|分かりません|存じません|分かりかねます", ""),
    Pattern(
        "情報がありません",
        "silent",
        "情報|記載|記述|言及|データ|回答",
        r"[^。！？]{0,10}?(?:ありません|ございません|見つかりません|されていません|ない(?:ため|です)|不足)",
    ),
)


JAPANESE = Language("ja", frozenset("せなんわ"), _JA, r"申し訳|すみません|残念ながら")
