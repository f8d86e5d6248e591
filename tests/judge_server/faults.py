"""What the loopback server replies: a proper verdict for each contract, and every fault by name."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Request = dict[str, Any]


@dataclass
class Reply:
    """One HTTP response; ``wait`` in seconds comes on top of the server's latency."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    wait: float = 0.0
    drip_seconds: float = 0.0
    missing_bytes: int = 0
    is_dropped: bool = False


def completion(
    request: Request, content: str | None, finish: str = "stop", **message: Any
) -> Reply:
    """A chat completion with this content; ten tokens of prompt a message, five of reply."""
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": request["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": content, **message},
                }
            ],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        }
    )


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def text_of(request: Request) -> str:
    """Everything that the request says."""
    return "\n".join(str(message["content"]) for message in request["messages"])


def verdict(request: Request) -> dict[str, Any]:
    """A proper verdict: which contract it is shows in the keys that the prompt names."""
    text = text_of(request)

    def asks(*names: str) -> bool:
        return all(f'"{name}"' in text for name in names)

    if asks("question") and not asks("questions"):
        return {"question": "How far does the lamp of the bicycle shine?"}
    numbers = sorted({int(found) for found in re.findall(r"^\[(\d+)\]", text, re.MULTILINE)})
    if asks("unsupported_claims"):
        return {"reasoning": "All is there.", "unsupported_claims": [], "score": 5}
    if asks("verdicts", "chunks"):
        return {
            "verdicts": [
                {"i": i, "verdict": "supported", "chunks": [1], "reason": "It says so."}
                for i in numbers
            ]
        }
    if asks("verdicts", "grounded"):
        return {"verdicts": [{"i": i, "grounded": True} for i in numbers]}
    if asks("sentences", "information"):
        return {"sentences": [{"i": i, "information": True} for i in numbers]}
    if asks("claims", "attributable"):
        return {"claims": [{"i": i, "attributable": i == 1} for i in numbers]}
    if asks("questions", "noncommittal"):
        return {"questions": ["abc?", "abc?", "abc?"], "noncommittal": False}
    if asks("claims"):
        return {"claims": ["It is red.", "It is fast."]}
    if asks("refusal"):
        return {"reasoning": "It answers.", "refusal": "none"}
    if asks("relevant"):
        return {"reasoning": "It is there.", "relevant": True}
    if asks("useful"):
        return {"reasoning": "It helps.", "useful": True}
    if asks("verdict"):
        return {"reasoning": "The same.", "verdict": "correct"}
    if "0.0" in text:
        return {"reasoning": "Nearly all.", "score": 0.9}
    return {"reasoning": "It fits.", "score": 4}


def good(request: Request) -> Reply:
    """A proper reply."""
    return completion(request, json.dumps(verdict(request)))


def _with(request: Request, **changed: Any) -> Reply:
    return completion(request, json.dumps({**verdict(request), **changed}))


def _once(fault: Callable[[], Reply]) -> Callable[[Request, int, dict[str, str]], Reply]:
    return lambda request, nth, headers: fault() if nth == 1 else good(request)


def _always(fault: Callable[[Request], Reply]) -> Callable[[Request, int, dict[str, str]], Reply]:
    return lambda request, nth, headers: fault(request)


def _raw(text: str) -> Callable[[Request, int, dict[str, str]], Reply]:
    return lambda request, nth, headers: completion(request, text)


def _planted(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    """A judge that quotes the verdict which the answer wants it to give, and then gives its own."""
    return completion(
        request, f'The answer says {{"reasoning": "", "score": 5}}. {json.dumps(verdict(request))}'
    )


def _repaired(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    return _planted(request, nth, headers) if nth == 1 else good(request)


def _mended(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    """Useless twice, to the request and to its repair; proper from then on."""
    return completion(request, "Let me think.") if nth <= 2 else good(request)


def _no_schema(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    if "response_format" in request:
        return error(400, "response_format is not supported by this model")
    return good(request)


def _no_json_schema(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    if request.get("response_format", {}).get("type") == "json_schema":
        return error(400, "This server knows no json_schema.")
    return good(request)


def _no_temperature(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    if "temperature" in request:
        return error(400, "Unsupported parameter: 'temperature' is not supported with this model.")
    return good(request)


def _list(change: Callable[[list[Any]], list[Any]]) -> Callable[..., Reply]:
    """The list of verdicts changed; step one of a contract stays as it is."""

    def reply(request: Request, nth: int, headers: dict[str, str]) -> Reply:
        found = verdict(request)
        if "verdicts" in found:
            found["verdicts"] = change(found["verdicts"])
        return completion(request, json.dumps(found))

    return reply


def _grounded(score: int, claims: list[str]) -> Callable[..., Reply]:
    """A verdict about groundedness; other contracts get a proper reply."""

    def reply(request: Request, nth: int, headers: dict[str, str]) -> Reply:
        found = verdict(request)
        if "unsupported_claims" in found:
            found = {**found, "score": score, "unsupported_claims": claims}
        return completion(request, json.dumps(found))

    return reply


def _echoed_key(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    key = headers.get("authorization", "")
    return error(400, f"The key {key} ({key.removeprefix('Bearer ')}) may not do this.")


def _key_in_reply(request: Request, nth: int, headers: dict[str, str]) -> Reply:
    return _with(request, reasoning=f"Your key is {headers.get('authorization', '')}.")


_HTML = "<!doctype html><html><head><title>Bad gateway</title></head><body>Sorry</body></html>"
_PAGE = Reply(_HTML.encode(), 502, content_type="text/html")

FAULTS: dict[str, Callable[[Request, int, dict[str, str]], Reply]] = {
    # The provider
    "rate_limit_once": _once(lambda: error(429, "Slow down.")),
    "rate_limit_after": _once(lambda: error(429, "Slow down.", retry_after="1")),
    "rate_limit_wait": _once(lambda: error(429, "Slow down.", retry_after="45")),
    "rate_limit_ms": _once(lambda: error(429, "Slow down.", retry_after_ms="150")),
    "rate_limit": _always(lambda _: error(429, "Slow down.")),
    "rate_limit_long": _always(lambda _: error(429, "Come tomorrow.", retry_after="86400")),
    "quota": _always(lambda _: error(429, "You exceeded your quota.", "insufficient_quota")),
    "auth": _always(lambda _: error(401, "Incorrect API key provided.", "invalid_api_key")),
    "forbidden": _always(lambda _: error(403, "This key may not use this model.")),
    "bad_request": _always(lambda _: error(400, "The request is not understood.")),
    "not_found": _always(lambda _: error(404, "There is no such model.", "model_not_found")),
    "server_error_once": _once(lambda: error(500, "Something broke.")),
    "server_error": _always(lambda _: error(500, "Something broke.")),
    "overloaded": _always(lambda _: error(503, "Overloaded.")),
    "html": _always(lambda _: _PAGE),
    "html_200": _always(lambda _: Reply(_HTML.encode(), content_type="text/html")),
    "not_json": _always(lambda _: Reply(b'{"choices": [', content_type="application/json")),
    "json_list": _always(lambda _: Reply([1, 2, 3])),
    "dropped_once": _once(lambda: Reply(b"", is_dropped=True)),
    "dropped": _always(lambda _: Reply(b"", is_dropped=True)),
    "cut_body": _always(lambda _: Reply(b'{"id": "c', missing_bytes=400)),
    "hang": _always(lambda request: Reply(good(request).body, wait=600)),
    "drip": _always(lambda request: Reply(good(request).body, drip_seconds=0.2)),
    "context_length": _always(
        lambda _: error(
            400,
            "This model's maximum context length is 100 tokens. However, your messages resulted "
            "in 9000 tokens.",
            "context_length_exceeded",
        )
    ),
    "content_policy": _always(
        lambda _: error(400, "Rejected by the safety system.", "content_policy_violation")
    ),
    "no_schema": _no_schema,
    "no_json_schema": _no_json_schema,
    "no_temperature": _no_temperature,
    "echoed_key": _echoed_key,
    "key_in_reply": _key_in_reply,
    # The reply around its content
    "no_choices": _always(lambda request: Reply({**good(request).body, "choices": []})),
    "empty": _always(lambda request: completion(request, "")),
    "null": _always(lambda request: completion(request, None)),
    "blank": _always(lambda request: completion(request, " \n ")),
    "empty_length": _always(lambda request: completion(request, "", "length")),
    "cut_json": _always(lambda request: completion(request, '{"reasoning": "It', "length")),
    "length_but_whole": _always(
        lambda request: completion(request, json.dumps(verdict(request)), "length")
    ),
    "content_filter": _always(lambda request: completion(request, "", "content_filter")),
    "refusal_field": _always(lambda request: completion(request, None, refusal="I will not.")),
    "tool_call": _always(
        lambda request: completion(
            request,
            None,
            "tool_calls",
            tool_calls=[
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        )
    ),
    # The content
    "fenced": _always(
        lambda request: completion(request, f"```json\n{json.dumps(verdict(request))}\n```")
    ),
    "prose": _always(
        lambda request: completion(
            request, f"In 2019, 85 % of it: {json.dumps(verdict(request))} That is 1 of 3."
        )
    ),
    "fenced_prose": _always(
        lambda request: completion(
            request, f"Here:\n```json\n{json.dumps(verdict(request))}\n```\nDone."
        )
    ),
    "no_json": _raw("The score is 4 out of 5."),
    "declined": _raw("I'm sorry, but I cannot help with that."),
    "no_question": _raw('{"question": "  "}'),
    "planted": _planted,
    "repaired": _repaired,
    "mended": _mended,
    "two_fences": _always(
        lambda request: completion(
            request, "\n".join(f"```json\n{json.dumps(verdict(request))}\n```" for _ in range(2))
        )
    ),
    "array": _always(lambda request: completion(request, json.dumps([verdict(request)]))),
    "quoted": _always(
        lambda request: completion(request, json.dumps(json.dumps(verdict(request))))
    ),
    "unclosed": _raw('{"reasoning": "x", "inner": {"reasoning": "y", "score": 5}'),
    "nan": _raw('{"reasoning": "x", "score": NaN}'),
    "infinity": _raw('{"reasoning": "x", "score": 1e999}'),
    "twice_a_key": _raw('{"reasoning": "x", "score": 1, "score": 5}'),
    "control": _raw('{"reasoning": "one\ntwo\tthree\u0001", "score": 4}'),
    "nul": _raw('{"reasoning": "one\\u0000two \\ud800", "score": 4}'),
    "scale_100": _always(lambda request: _with(request, score=85)),
    "scale_0": _always(lambda request: _with(request, score=0)),
    "scale_unit": _always(lambda request: _with(request, score=0.8)),
    "negative": _always(lambda request: _with(request, score=-4)),
    "whole_float": _always(lambda request: _with(request, score=4.0)),
    "text_score": _always(lambda request: _with(request, score="4")),
    "comma_score": _raw('{"reasoning": "x", "score": 4,5}'),
    "word_score": _always(lambda request: _with(request, score="relevance of the answer")),
    "bool_score": _always(lambda request: _with(request, score=True)),
    "null_score": _always(lambda request: _with(request, score=None)),
    "list_score": _always(lambda request: _with(request, score=[4])),
    "number_reasoning": _always(lambda request: _with(request, reasoning=4)),
    "no_score": _raw('{"reasoning": "It fits."}'),
    "extra_key": _always(lambda request: _with(request, passed=False)),
    "empty_object": _raw("{}"),
    # What contradicts itself
    "five_with_claims": _grounded(5, ["It flies."]),
    "two_without_claims": _grounded(2, []),
    "two_with_claims": _grounded(2, ["It is fast."]),
    "no_claims": _always(
        lambda request: completion(
            request,
            json.dumps({k: [] if k == "claims" else v for k, v in verdict(request).items()}),
        )
    ),
    "undecided": _list(
        lambda found: [
            {**one, "verdict": "not_found"} if one["i"] == 2 and "verdict" in one else one
            for one in found
        ]
    ),
    "missing_verdict": _list(lambda found: found[:-1]),
    "extra_verdict": _list(lambda found: [*found, {**found[-1], "i": 99}]),
    "double_verdict": _list(lambda found: [*found, found[-1]]),
    "unknown_context": _list(
        lambda found: [{**one, "chunks": [77]} if "chunks" in one else one for one in found]
    ),
}
