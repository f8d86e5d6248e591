"""Prompt files: the words in which a contract is put to a judge model.

A file is TOML between two lines ``+++``, then the instructions in plain words. A wrong file is
reported and passed over; it never keeps the others from being used.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInputError
from core.judge.contracts import (
    CONTRACTS,
    OWN_CONTRACT,
    OWN_INPUTS,
    Contract,
    Schema,
    own_contract,
)
from core.metrics.registry import METRICS
from core.model import Axis

MAX_BYTES = 100_000
_FRONT = re.compile(r"\+\+\+[^\S\n]*\n(.*?\n)\+\+\+[^\S\n]*\n(.*)", re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_KEYS = {
    "id": str,
    "version": int,
    "title": str,
    "contract": str,
    "step": int,
    "inputs": list,
    "output": str,
    "scale": list,
    "source": str,
    "metric": str,
}
_NEEDED = ("id", "version", "contract", "inputs", "output", "source")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file; ``sha256`` is the hash of its bytes, ``text`` its instructions.

    ``contract`` is what it words and ``step`` which request of it, from 1. ``is_own`` if a person
    has added it, rather than that it came with the product.
    """

    id: str
    version: int
    title: str
    contract: Contract
    step: int
    scale: tuple[float, float] | None
    source: str
    text: str
    sha256: str
    path: Path
    is_own: bool

    @property
    def name(self) -> str:
        """Id and version, such as "groundedness@1"."""
        return f"{self.id}@{self.version}"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The texts that the judge is shown, in order."""
        return self.contract.steps[self.step - 1].inputs

    @property
    def output(self) -> Schema:
        """JSON schema of the reply."""
        return self.contract.steps[self.step - 1].output


@dataclass(frozen=True, slots=True)
class PromptProblem:
    """A file that is no usable prompt, and why."""

    path: Path
    problem: str


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All prompts that were found, by id and rising version, and the files that are wrong."""

    prompts: tuple[Prompt, ...]
    problems: tuple[PromptProblem, ...]

    def find(self, wanted: str) -> Prompt:
        """A prompt by ``id`` (its highest version) or ``id@version``.

        Raises:
            BadInputError: there is none; the message lists what is there.
        """
        name, _, version = wanted.partition("@")
        found = [
            prompt
            for prompt in self.prompts
            if prompt.id == name and (not version or str(prompt.version) == version)
        ]
        if found:
            return found[-1]
        wrong = [one for one in self.problems if one.path.name.startswith(name)]
        if wrong:
            raise BadInputError(f"The prompt {wanted!r} cannot be used: {wrong[0].problem}")
        names = ", ".join(dict.fromkeys(prompt.id for prompt in self.prompts))
        raise BadInputError(f"There is no prompt {wanted!r}. There are: {names}.")

    def own_metrics(self) -> dict[str, Prompt]:
        """Metrics that people's own prompts define, with the newest prompt of each."""
        return {
            prompt.contract.metrics[0]: prompt
            for prompt in self.prompts
            if prompt.contract.id == OWN_CONTRACT
        }

    def wording(self, contract: Contract, chosen: Sequence[str] = ()) -> tuple[Prompt, ...]:
        """The prompts of a contract's steps: those that are chosen by name, else the shipped ones.

        Raises:
            BadInputError: a chosen prompt is not there, or a step has none.
        """
        picked = [self.find(name) for name in chosen]
        return tuple(
            next(
                (one for one in picked if one.contract == contract and one.step == step),
                None,
            )
            or self.find(name)
            for step, name in enumerate(contract.prompts, 1)
        )


def prompt_hash(prompts: Sequence[Prompt]) -> str:
    """Hash that stands for all steps: the file's own where there is one step."""
    if len(prompts) == 1:
        return prompts[0].sha256
    return hashlib.sha256("\n".join(prompt.sha256 for prompt in prompts).encode()).hexdigest()


def load_prompts(shipped: Path, own: Path | None = None) -> PromptSet:
    """Read every prompt of the shipped folder and of a person's own, which need not exist."""
    prompts: list[Prompt] = []
    problems: list[PromptProblem] = []
    taken: dict[tuple[str, int], Prompt] = {}
    folders = [(shipped, False)]
    if own is not None and own.resolve() != shipped.resolve():
        folders.append((own, True))
    for folder, is_own in folders:
        for path in _files(folder):
            try:
                prompt = read_prompt(path, is_own=is_own)
                _check_name(prompt, taken)
            except (_WrongFileError, OSError) as error:
                problems.append(PromptProblem(path, str(error)))
                continue
            taken[prompt.id, prompt.version] = prompt
            prompts.append(prompt)
    prompts.sort(key=lambda prompt: (prompt.is_own, prompt.id, prompt.version))
    return PromptSet(tuple(prompts), tuple(problems))


class _WrongFileError(Exception):
    """Why a file is no prompt."""


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            is_text = path.is_file() and not path.name.startswith(".")
            if is_text and path.name.lower() != "readme.md":
                yield path


def _check_name(prompt: Prompt, taken: Mapping[tuple[str, int], Prompt]) -> None:
    shipped = {known for (known, _), one in taken.items() if not one.is_own}
    if prompt.is_own and prompt.id in shipped:
        raise _WrongFileError(
            f"The id {prompt.id!r} belongs to a prompt that came with RAG Triage. "
            "Give your own file an id of its own."
        )
    if (prompt.id, prompt.version) in taken:
        other = taken[prompt.id, prompt.version].path.name
        raise _WrongFileError(f"{other} has the id and version {prompt.name} already.")


def read_prompt(path: Path, *, is_own: bool = True) -> Prompt:
    """One prompt file; any fault of it is an error whose text says what to change."""
    if path.suffix != ".md":
        raise _WrongFileError("The name of a prompt file ends in .md.")
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise _WrongFileError(f"The file has {len(data):,} bytes; {MAX_BYTES:,} is the limit.")
    try:
        whole = data.decode("utf-8").replace("\r\n", "\n").lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise _WrongFileError(f"The file is not UTF-8 (byte {error.start}).") from error
    parts = _FRONT.fullmatch(whole)
    if parts is None:
        raise _WrongFileError("It has to begin with settings between two lines of +++.")
    front, text = _front(parts[1]), parts[2].strip()
    if not text:
        raise _WrongFileError("There are no instructions below the settings.")
    contract, step, scale = _contract(front)
    return Prompt(
        id=front["id"],
        version=front["version"],
        title=front.get("title") or front["id"].replace("_", " "),
        contract=contract,
        step=step,
        scale=scale,
        source=front["source"],
        text=text,
        sha256=hashlib.sha256(data).hexdigest(),
        path=path,
        is_own=is_own,
    )


def _front(text: str) -> dict[str, Any]:
    try:
        front = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _WrongFileError(f"The settings are no TOML: {error}.") from error
    missing = [key for key in _NEEDED if key not in front]
    if missing:
        raise _WrongFileError(f"The settings lack {', '.join(missing)}.")
    for key, value in front.items():
        kind = _KEYS.get(key)
        if kind is None:
            raise _WrongFileError(f"There is no setting {key!r}; known: {', '.join(_KEYS)}.")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _WrongFileError(f"{key} has to be {_WORDS[kind]}.")
    if not _NAME.fullmatch(front["id"]):
        raise _WrongFileError("The id has to be lower-case letters, digits and underscores.")
    if front["version"] < 1:
        raise _WrongFileError("The version has to be 1 or more.")
    return front


_WORDS = {str: "a text", int: "a whole number", list: "a list"}


def _contract(front: Mapping[str, Any]) -> tuple[Contract, int, tuple[float, float] | None]:
    name, step = front["contract"], front.get("step", 1)
    scale = _scale(front["scale"]) if "scale" in front else None
    inputs = tuple(str(one) for one in front["inputs"])
    if name == OWN_CONTRACT:
        contract = _own(front, inputs, scale)
    elif name in CONTRACTS:
        contract = CONTRACTS[name]
        if "metric" in front:
            raise _WrongFileError(f"Only the contract {OWN_CONTRACT!r} names a metric of its own.")
    else:
        known = ", ".join([*CONTRACTS, OWN_CONTRACT])
        raise _WrongFileError(f"There is no contract {name!r}; known: {known}.")
    if not 1 <= step <= len(contract.steps):
        raise _WrongFileError(f"The contract {name!r} has no step {step}.")
    wanted = contract.steps[step - 1]
    if set(inputs) != set(wanted.inputs) or len(inputs) != len(wanted.inputs):
        raise _WrongFileError(
            f"This step is shown {', '.join(wanted.inputs)}, no more and no less; "
            f"inputs says {', '.join(inputs) or 'nothing'}."
        )
    try:
        output = json.loads(front["output"])
    except ValueError as error:
        raise _WrongFileError(f"The output is no JSON: {error}.") from error
    if output != wanted.output:
        raise _WrongFileError(
            f"The output of this contract is fixed; it has to be {json.dumps(wanted.output)}"
        )
    return contract, step, scale


def _own(
    front: Mapping[str, Any], inputs: tuple[str, ...], scale: tuple[float, float] | None
) -> Contract:
    metric = front.get("metric", front["id"])
    if not _NAME.fullmatch(metric):
        raise _WrongFileError("The metric has to be lower-case letters, digits and underscores.")
    if metric in METRICS or metric in {axis.value for axis in Axis}:
        raise _WrongFileError(f"{metric!r} is a metric of RAG Triage; choose a name of your own.")
    if scale is None:
        raise _WrongFileError("A metric of your own needs a scale, such as scale = [1, 5].")
    wrong = [one for one in inputs if one not in OWN_INPUTS]
    if wrong or not inputs or len(set(inputs)) != len(inputs):
        raise _WrongFileError(f"inputs can be {', '.join(OWN_INPUTS)}, each once.")
    ordered = tuple(one for one in OWN_INPUTS if one in inputs)
    made = own_contract(metric, ordered, *scale)
    return Contract(made.id, made.steps, (front["id"],), made.metrics)


def _scale(value: list[Any]) -> tuple[float, float]:
    numbers = [one for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(value) != 2 or len(numbers) != 2 or not -1e6 <= numbers[0] < numbers[1] <= 1e6:
        raise _WrongFileError("The scale has to be two numbers, the lower one first.")
    if all(float(one).is_integer() for one in numbers) and numbers[1] - numbers[0] > 100:
        raise _WrongFileError("A scale in whole steps can have 100 of them at most.")
    return float(numbers[0]), float(numbers[1])
