"""Where requests go and under which key: looked at before the first one.

litellm reports a missing key or a wrong address as a server error, which would be tried again and
again for every sample.
"""

import os
import socket
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from core.errors import BadInputError
from core.judge.settings import LlmSettings

KEY_VARIABLE = "RAGTRIAGE_JUDGE_KEY"
_NO_KEY = "not-needed"
_CONNECT_SECONDS = 5.0


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """How litellm is to be called; the key, if it is ours to pass on, is never shown."""

    settings: LlmSettings
    provider: str
    custom_provider: str | None
    key: str | None
    timeout: Any

    def arguments(self) -> dict[str, Any]:
        """Arguments of every completion beside messages and parameters."""
        return {"model": self.settings.model, **self._common()}

    def embedding(self) -> dict[str, Any]:
        """Arguments of every embedding beside its input."""
        return {"model": self.settings.embedding_model, **self._common()}

    def _common(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "num_retries": 0,
            "max_retries": 0,
            "timeout": self.timeout,
        }
        if self.settings.api_base is not None:
            found["api_base"] = self.settings.api_base
        if self.key is not None:
            found["api_key"] = self.key
        if self.custom_provider is not None:
            found["custom_llm_provider"] = self.custom_provider
        return found


def find_endpoint(settings: LlmSettings, litellm: Any) -> Endpoint:
    """The endpoint of a model, if it can be used at all.

    Raises:
        BadInputError: no such provider, or no key for it.
    """
    provider, custom = _provider(settings, litellm)
    key = _key(settings, provider, litellm)
    return Endpoint(settings, provider, custom, key, _timeouts(settings))


def _timeouts(settings: LlmSettings) -> Any:
    """Limits within one request; the time in all is kept by the client."""
    # Imported here, so that only the process that judges loads it.
    import httpx

    return httpx.Timeout(settings.timeout, connect=min(settings.connect_timeout, settings.timeout))


def _provider(settings: LlmSettings, litellm: Any) -> tuple[str, str | None]:
    try:
        _, provider, _, _ = litellm.get_llm_provider(settings.model, api_base=settings.api_base)
        return str(provider), None
    except Exception as error:
        if settings.api_base is not None:
            return "openai", "openai"
        raise BadInputError(
            f"{settings.model!r} names no provider that litellm knows. Write provider/model, such "
            "as openai/gpt-4o-mini or ollama/llama3, or say where the server is with --api-base."
        ) from error


def _key(settings: LlmSettings, provider: str, litellm: Any) -> str | None:
    """The key to pass on, None where litellm finds it in the environment by itself.

    Raises:
        BadInputError: the provider needs one and the environment has none.
    """
    own = os.environ.get(KEY_VARIABLE)
    if own:
        return own
    try:
        found = litellm.validate_environment(
            settings.model if provider in settings.model else f"{provider}/{settings.model}"
        )
    except Exception:
        # litellm does not know what this provider needs; it will say so itself.
        return None
    missing = [name for name in found.get("missing_keys") or () if name.endswith("_API_KEY")]
    if found.get("keys_in_environment") or not missing:
        return None
    if settings.api_base is not None:
        # A server of one's own mostly asks for none, but the client library insists on one.
        return _NO_KEY
    raise BadInputError(
        f"{provider} needs a key: set {' or '.join([*missing, KEY_VARIABLE])} in the environment."
    )


def check_host(address: str) -> None:
    """Try whether a server listens at an address.

    Raises:
        BadInputError: nobody does.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    proxies = urllib.request.getproxies()
    if parts.scheme in proxies and not urllib.request.proxy_bypass(host):
        # What stands between cannot be looked through.
        return
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        raise BadInputError(
            f"Nobody answers at {parts.scheme}://{parts.netloc}: {error.strerror or error}. "
            "Start the server, or correct the address."
        ) from error
