"""Common parts of the embedded policies: a rule for each kind of decision, and the files of a language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.hearing import Hear, Meant
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.hearing.ear import load_ear
from eduverse_mesa.scenarios.files import read_resource

Rules = Mapping[type[Decision], Callable[[Any], Any]]


class RulePolicy:
    """Answers each decision by the rule of its kind, and hears what somebody meant by the ear of this machine. It keeps
    no state: all that a rule uses stands in the decision."""

    name = "embedded"
    subject = ""
    """The subject of its decisions, for messages about any others: "a lesson"."""

    def __init__(self, rules: Rules) -> None:
        self._rules: Rules = {**rules, Hear: hear}

    def answer(self, decisions: Sequence[Decision]) -> list[Answer]:
        """An answer to each decision."""
        return [Answer(self._rule(decision)(decision), self.name) for decision in decisions]

    def _rule(self, decision: Decision) -> Callable[[Any], Any]:
        rule = self._rules.get(type(decision))
        if rule is None:
            raise PolicyError(
                f"the embedded policy of {self.subject} has no answer to {type(decision).__name__}.",
                mend=f"Use it with the model of {self.subject}.",
            )
        return rule


def hear(decision: Hear) -> Meant:
    """Return what somebody meant, by the ear of this machine."""
    return load_ear().hear(decision)


def languages_in(folder: Traversable) -> list[str]:
    """The languages that have a file there, in the order of the alphabet."""
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def base_of(language: str) -> str:
    """The language itself: a region has what its language has (`zh-CN` is `zh`)."""
    return language.replace("_", "-").split("-")[0].casefold()


class Phrases:
    """Phrases in one language, by their place in its file."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def at(self, *keys: str) -> Any:
        """Return the entry at a place of the file."""
        here: Any = self._data
        for key in keys:
            here = here[key]
        return here


def read_language(folder: Traversable, language: str, wrong: str, known: str) -> dict[str, Any]:
    """The file of a language; if there is none, `wrong` and `known` say what is amiss and what there is."""
    base, there = base_of(language), languages_in(folder)
    if base not in there:
        raise PolicyError(
            f"{wrong} '{language}'.",
            mend=f"{known} {', '.join(there)}. Translate {folder.name}/en.yaml, or use a language model.",
        )
    data = read_resource(folder / f"{base}.yaml", f"built-in {folder.name}/{base}.yaml").data
    assert isinstance(data, dict)
    return data
