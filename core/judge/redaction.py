"""Keeping keys out of everything that is stored, shown or logged."""

import os
import re
from collections.abc import Mapping

_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SURE_NAME = re.compile(r"_(?:API_)?KEY$", re.IGNORECASE)
# A short value of a variable that merely has such a name may be an ordinary word.
_SURE_LENGTH, _LENGTH = 6, 16
_BEARER = re.compile(r"(?i)\b(bearer|api-key|x-api-key)(\W{1,4})[\w.~+/-]{8,}=*")
BLANK = "[key removed]"


class Redactor:
    """Blanks out the values of all keys of the environment, and what follows the word Bearer."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        secrets = {
            value.strip()
            for name, value in (os.environ if environment is None else environment).items()
            if _NAME.search(name)
            and len(value.strip()) >= (_SURE_LENGTH if _SURE_NAME.search(name) else _LENGTH)
        }
        # The longest first: one key may begin with another.
        self._secrets = sorted(secrets, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without keys."""
        for secret in self._secrets:
            text = text.replace(secret, BLANK)
        return _BEARER.sub(rf"\1\2{BLANK}", text)
