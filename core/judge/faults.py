"""What went wrong with a request: the kind of error, in words, and whether to try again."""

import email.utils
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from core.model import ErrorKind

_MESSAGE_CHARS = 500
_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?::| -)\s*)+")
_TOO_LONG = re.compile(
    r"context.?(?:length|window)|maximum context|too many (?:input )?tokens|prompt is too long"
    r"|exceeds? (?:the )?(?:maximum|limit) (?:number )?of tokens|input is too long",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"content.?(?:policy|filter|management)|safety (?:system|policy)", re.IGNORECASE
)
_NO_CREDIT = re.compile(
    r"insufficient.?(?:quota|credit|funds|balance)|exceeded your (?:current )?quota"
    r"|billing.{0,20}limit|credit balance",
    re.IGNORECASE,
)


class CallError(Exception):
    """A request that gave no usable reply.

    ``reply`` is the text that came, if any did. ``is_transient`` if another try may help,
    ``is_fatal`` if it would fail for every other request too.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        reply: str | None = None,
        is_transient: bool = False,
        is_fatal: bool = False,
        is_refused_request: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.reply = reply
        self.is_transient = is_transient
        self.is_fatal = is_fatal
        self.is_refused_request = is_refused_request
        self.retry_after = retry_after


class AbortedError(CallError):
    """The job has ended for another reason before this request was made or answered."""


def classify(error: BaseException, redact: Callable[[str], str], timeout: float) -> CallError:
    """The CallError that an exception of litellm stands for.

    litellm wraps whatever happens: a dropped connection, an HTML page and a broken body all come
    as an "internal server error", so the status alone decides nothing there.
    """
    name = type(error).__name__
    text = redact(_PREFIX.sub("", str(error)))
    message = " ".join(text.split())[:_MESSAGE_CHARS] or name
    if _text(error).lstrip().startswith("<"):
        message += " (the server sent a web page instead of a reply)"
    status = getattr(error, "status_code", None)
    if isinstance(error, TimeoutError) or name in ("Timeout", "APITimeoutError"):
        return CallError(ErrorKind.TIMEOUT, f"No reply within {timeout:g} s.", is_transient=True)
    if name == "ContextWindowExceededError" or status == 413 or _is(status, message, _TOO_LONG):
        return CallError(ErrorKind.CONTEXT_LENGTH, message)
    if name == "ContentPolicyViolationError" or _is(status, message, _REJECTED):
        return CallError(ErrorKind.JUDGE_REFUSED, message)
    if _NO_CREDIT.search(message + _code(error)) or status == 402:
        return CallError(ErrorKind.BUDGET, message, is_fatal=True)
    if status in (401, 403) or name in ("AuthenticationError", "PermissionDeniedError"):
        return CallError(ErrorKind.AUTH, message, is_fatal=True)
    if status == 429 or name == "RateLimitError":
        wait = retry_after(_headers(error))
        return CallError(ErrorKind.RATE_LIMIT, message, is_transient=True, retry_after=wait)
    if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 425):
        return CallError(ErrorKind.PROVIDER_ERROR, message, is_refused_request=status in (400, 422))
    wait = retry_after(_headers(error))
    return CallError(ErrorKind.PROVIDER_ERROR, message, is_transient=True, retry_after=wait)


def _is(status: Any, message: str, pattern: re.Pattern[str]) -> bool:
    return status in (400, 422) and pattern.search(message) is not None


def _code(error: BaseException) -> str:
    """The provider's own code for the error, which litellm leaves out of its text."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            return f" {inner.get('code') or ''} {inner.get('type') or ''}"
    return f" {_text(error)[:2_000]}"


def _text(error: BaseException) -> str:
    try:
        return str(getattr(error, "response", None) and error.response.text)  # type: ignore[attr-defined]
    except Exception:
        # A response that was never read has no text, and says so in its own way.
        return ""


def _headers(error: BaseException) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    found = getattr(response, "headers", None) or getattr(error, "headers", None)
    return found if isinstance(found, Mapping) else {}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, None if it does not say.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "150"})
    (2.0, 0.15)
    """
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    try:
        if "retry-after-ms" in lower:
            return max(0.0, float(lower["retry-after-ms"]) / 1000)
        if "retry-after" not in lower:
            return None
        return max(0.0, float(lower["retry-after"]))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(lower.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, when.timestamp() - time.time())
