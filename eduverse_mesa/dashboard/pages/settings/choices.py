"""Choice of who answers, checked and laid on the desk for the lessons that follow; and its test call and estimate."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import yaml

from eduverse_mesa.dashboard.background import Ticket, Worker
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.notice import Notice
from eduverse_mesa.errors import EduverseError, PolicyError, ScenarioError
from eduverse_mesa.policies.llm.calling.failures import hide_keys
from eduverse_mesa.policies.llm.connection import make_ledger
from eduverse_mesa.policies.llm.setup import BASE_URL, KEY, MODEL, PATIENCE, Tried, check_url, find_key, try_model
from eduverse_mesa.policies.registry import policy_parts
from eduverse_mesa.runs.estimate import Estimate, estimate_run, settled
from eduverse_mesa.scenarios import Scenario, dump_scenario, load_scenario
from eduverse_mesa.scenarios.scenario import Budget, LanguageModel
from eduverse_mesa.visualization.widgets.fields import Kind, kind_at

PRESETS = ("embedded", "words=local,rest=embedded", "local", "words=llm,rest=embedded", "llm")
"""Policies that may answer, from the one that costs nothing to the one that costs most."""
MIXTURE = "mixture"

SERVER_FIELDS = ("llm.base_url", "llm.model", "llm.concurrency", "llm.budget.usd")
"""Fields that only an endpoint is asked with."""
MODEL_FIELDS = ("llm.fidelity", "llm.temperature", "llm.budget.tokens", "llm.budget.requests", "llm.told_of_harm")
"""Fields that any language model is asked with."""
FIELDS = (*SERVER_FIELDS, *MODEL_FIELDS)
_LONGEST = 400


class Choices:
    """Choices of a person on the settings page. They hold no key: there is no place for one."""

    def __init__(self, desk: Desk, environment: Mapping[str, str] | None = None) -> None:
        self.desk = desk
        self.changed = Notice()
        self.preset = desk.policy if desk.policy in PRESETS else MIXTURE
        self.texts: dict[str, str] = {}
        """Accepted texts by field, as they were typed."""
        self.wrong: dict[str, EduverseError] = {}
        """Errors by field, where the text that was typed is refused."""
        self._env: Mapping[str, str] = os.environ if environment is None else environment

    # --- who answers ---

    @property
    def policy(self) -> str:
        """Policy that answers."""
        return self.desk.policy

    @property
    def asked(self) -> frozenset[str]:
        """Those who are asked."""
        return frozenset(policy_parts(self.desk.policy).values())

    @property
    def model_asked(self) -> str:
        """Language model that is asked: llm, local, or none."""
        return next((name for name in ("llm", "local") if name in self.asked), "")

    @property
    def shown(self) -> tuple[str, ...]:
        """The fields that matter for who answers."""
        if "llm" in self.asked:
            return FIELDS
        return MODEL_FIELDS if "local" in self.asked else ()

    def choose(self, preset: str) -> None:
        """One of PRESETS, or MIXTURE, which is then typed in."""
        self.preset = preset
        self.wrong.pop("policy", None)
        if preset in PRESETS:
            self.desk.policy = preset
        self._lay_out()

    def mix(self, policy: str) -> None:
        """A mixture of policies, as it is written on the command line."""
        policy = policy.strip()
        try:
            policy_parts(policy)
        except PolicyError as error:
            self.wrong["policy"] = error
        else:
            self.wrong.pop("policy", None)
            self.desk.policy = policy
        self._lay_out()

    # --- how it is asked ---

    def put(self, field: str, text: str) -> None:
        """Take the text typed into a field if it is valid; an empty one leaves the field to scenario and
        environment."""
        text = text.strip()
        try:
            self._check(field, text)
        except EduverseError as error:
            self.wrong[field] = error
        else:
            self.wrong.pop(field, None)
            self.texts = {
                **{key: value for key, value in self.texts.items() if key != field},
                **({field: text} if text else {}),
            }
        self._lay_out()

    def _check(self, field: str, text: str) -> None:
        if len(text) > _LONGEST:
            raise ScenarioError("this is too long.", mend=f"{_LONGEST} letters are the most.")
        if hide_keys(text, self._env.get(KEY, "")) != text:
            raise ScenarioError(
                "this looks like a key, which was not taken.", mend=f"A key is read from the environment ({KEY}) only."
            )
        if text and field == "llm.base_url":
            self._check_server(text.rstrip("/"))
        texts = {key: value for key, value in self.texts.items() if key != field}
        if text:
            texts[field] = text
        llm = self._settings(settings_of(texts))
        model = llm.model or self._env.get(MODEL)
        if llm.budget.usd is not None and model and field in ("llm.budget.usd", "llm.model"):
            make_ledger(Budget(usd=llm.budget.usd), [model])

    def _check_server(self, url: str) -> None:
        """Raise PolicyError if a person at this page could send a class, or the key, to a server that this machine does
        not mean."""
        check_url(url)
        try:
            find_key(url, {**self._env, KEY: self._env.get(KEY) or "-"})
        except PolicyError:
            raise PolicyError(
                f"a class may not be sent to {urlsplit(url).netloc} from here.",
                mend=f"If you trust that server, start the dashboard with {BASE_URL}={url}. Servers on this machine "
                "may always be asked.",
            ) from None

    @staticmethod
    def _settings(settings: Mapping[str, object]) -> LanguageModel:
        return load_scenario(settings=settings).settings.llm

    def _lay_out(self) -> None:
        """On the desk: only what the one who answers is asked with."""
        shown = self.shown
        self.desk.llm = settings_of({key: text for key, text in self.texts.items() if key in shown})
        self.changed.tell()

    @property
    def model_settings(self) -> LanguageModel:
        """How a lesson that is begun now would ask its model."""
        return self._settings(self.desk.llm)

    @property
    def model_named(self) -> bool:
        """Somebody has said which model is meant; the one on this machine need not be named."""
        return "llm" not in self.asked or bool(self.model_settings.model or self._env.get(MODEL))

    @property
    def has_key(self) -> bool:
        """The environment has a key."""
        return bool(self._env.get(KEY))

    def over(self, scenario: Scenario) -> Scenario:
        """The scenario as it would be played with what was chosen."""
        return load_scenario(dump_scenario(scenario), settings=self.desk.llm) if self.desk.llm else scenario


def settings_of(texts: Mapping[str, str]) -> dict[str, object]:
    """Texts as the values that a scenario's settings take; what is no number stays a text, to be refused there."""
    return {field: _value(field, text) for field, text in texts.items()}


def kind_of_setting(field: str) -> Kind:
    """What may stand in a field, by the document of a language model's settings."""
    return kind_at(LanguageModel, tuple(field.split(".")[1:]))


def _value(field: str, text: str) -> object:
    shape = kind_of_setting(field).shape
    if shape in ("number", "decimal"):
        for read in (int,) if shape == "number" else (int, float):
            try:
                return read(text)
            except ValueError:
                continue
    if shape == "yes_no":
        return text == "true"
    # Settings are read as YAML, which would take some names for numbers or yes and no.
    return text if _stays(text) else yaml.safe_dump(text, default_style='"', width=10**6).strip()


def _stays(text: str) -> bool:
    try:
        return bool(yaml.safe_load(text) == text)
    except yaml.YAMLError:
        return False


def choices_of(desk: Desk) -> Choices:
    """Return the choices made on this desk."""
    return desk.drawer(Choices, lambda: Choices(desk))


class Asked(Worker):
    """Something that is found out in a thread: for which choices, and what came of it."""

    def __init__(self) -> None:
        super().__init__()
        self.about: object = None
        self.found: Any = None

    def ask(self, about: object, find: Callable[[], Any]) -> None:
        """Find it out, unless that is going on."""

        def work(_: Ticket) -> None:
            self.found = find()

        if not self.busy:
            self.about, self.found = about, None
            self.do("trial", work)


class Trial:
    """A test call and an estimate. Each says what it was made for; what has changed since makes it stale."""

    def __init__(self, desk: Desk, choices: Choices, patience: float = PATIENCE) -> None:
        self.call = Asked()
        self.estimate = Asked()
        self._desk = desk
        self._choices = choices
        self._patience = patience

    @property
    def about(self) -> object:
        """Key of what a test and an estimate are made for."""
        lesson = classroom_lesson(self._desk)
        return self._desk.policy, tuple(sorted(self._desk.llm.items(), key=str)), id(lesson.scenario)

    def try_it(self) -> None:
        """Make one small call."""
        name, patience = self._choices.model_asked, self._patience

        def work() -> Tried:
            return try_model(name, self._choices.model_settings, patience=patience)

        self.call.ask(self.about, work)

    def reckon(self) -> None:
        """Count what the lesson on the classroom page would take."""

        def work() -> Estimate:
            lesson = classroom_lesson(self._desk)
            policy = self._desk.policy
            scenario = settled(self._choices.over(lesson.scenario), policy)
            llm = scenario.settings.llm
            return estimate_run(scenario, lesson.player.run.spec.seed, policy, llm.fidelity)

        self.estimate.ask(self.about, work)

    @property
    def busy(self) -> bool:
        """Something is being found out."""
        return self.call.busy or self.estimate.busy


def trial_of(desk: Desk) -> Trial:
    """Return the trial on this desk."""
    choices = choices_of(desk)
    return desk.drawer(Trial, lambda: Trial(desk, choices))
