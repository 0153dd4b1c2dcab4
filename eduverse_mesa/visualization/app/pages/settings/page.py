"""The settings page: who answers, what it may take, whether it answers; and the dashboard itself."""

from __future__ import annotations

import os
from typing import Any

import solara

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.llm.making import BASE_URL, MODEL, OPENAI
from eduverse_mesa.visualization.app.alarms import AllAlarms
from eduverse_mesa.visualization.app.desk import Desk
from eduverse_mesa.visualization.app.kit import Card, Choice, Note, Reading, use_words
from eduverse_mesa.visualization.app.notice import use_live
from eduverse_mesa.visualization.app.pages.settings.adult import TheAdult
from eduverse_mesa.visualization.app.pages.settings.choices import MIXTURE, PRESETS, Choices, choices_of
from eduverse_mesa.visualization.app.pages.settings.house import TheHouse
from eduverse_mesa.visualization.app.pages.settings.trial import trial_of
from eduverse_mesa.visualization.app.pages.settings.tried import Estimating, Testing
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import Words
from eduverse_mesa.visualization.words.errors import bare_text

_SHORT = {"llm.base_url": "base_url", "llm.model": "model", "llm.concurrency": "concurrency", "llm.budget.usd": "usd",
          "llm.temperature": "temperature", "llm.budget.tokens": "tokens", "llm.budget.requests": "requests",
          "llm.fidelity": "fidelity", "llm.told_of_harm": "told_of_harm"}  # fmt: skip
_CHOSEN = {"fidelity": ("fused", "staged"), "told_of_harm": ("false", "true")}
"""Fields with two values to choose from, the usual one first."""
_OWN_MESSAGE = ("concurrency", "usd", "temperature", "tokens", "requests")
"""Fields that are numbers: what is wrong is said in the page's language."""


@solara.component
def SettingsPage(desk: Desk) -> None:
    """How lessons that are begun here are answered."""
    t = use_words()
    choices, trial = choices_of(desk), trial_of(desk)
    use_live(choices.changed)
    with solara.Div(classes=["ev-stack", "ev-settings"]):
        solara.v.Html(tag="h1", class_="ev-h1", children=[t("settings.title")])
        solara.Text(t("settings.lead"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-split"]):
            with solara.Div(classes=["ev-stack"]):
                _Answering(choices)
                if choices.shown:
                    _Model(choices)
            with solara.Div(classes=["ev-stack"]):
                if choices.model_asked:
                    Testing(choices, trial)
                    Estimating(choices, trial)
                TheAdult(desk)
                AllAlarms(desk)
                TheHouse(desk)


@solara.component
def _Answering(choices: Choices) -> None:
    t = use_words()
    use_live(choices.changed)

    def heard(event: Any) -> None:
        if event in (*PRESETS, MIXTURE):
            choices.choose(event)

    with Card(t("settings.policy.title")):
        Reading(choices_tree(choices.preset, t), on_event=heard)
        if choices.preset == MIXTURE:
            why, wrong = t("settings.policy.mixture_why"), str(choices.wrong.get("policy", ""))
            _Typed(choices, "policy", choices.policy, choices.mix, why, wrong)


def choices_tree(chosen: str, t: Words) -> Tree:
    """Who may answer, each with what that means. Comes back: one of PRESETS, or MIXTURE."""
    group = {"class": "ev-choices", "role": "radiogroup", "aria-label": t("settings.policy.title")}
    return ["div", group, *(_choice(preset, preset == chosen, t) for preset in (*PRESETS, MIXTURE))]


def _choice(preset: str, chosen: bool, t: Words) -> Tree:
    name = _preset_key(preset)
    shown = {
        "class": "ev-choice on" if chosen else "ev-choice",
        "role": "radio",
        "aria-checked": str(chosen).lower(),
        "on": preset,
    }
    why = ["span", {"class": "ev-muted ev-small ev-below"}, t(f"settings.policy.{name}.why")]
    told = ["span", {}, ["b", {}, t(f"settings.policy.{name}.name")], why]
    return ["button", shown, ["span", {"class": "ev-radio", "aria-hidden": "true"}], told]


def _preset_key(preset: str) -> str:
    return {"words=local,rest=embedded": "words_local", "words=llm,rest=embedded": "words_llm"}.get(preset, preset)


@solara.component
def _Model(choices: Choices) -> None:
    t = use_words()
    use_live(choices.changed)
    with Card(t("settings.model.title")):
        if "llm" in choices.asked:
            if not choices.model_named:
                Note(t("settings.model.missing"), kind="warn")
            Reading(key_tree(choices.has_key, t))
        for field in choices.shown:
            short = _SHORT[field]
            if short in _CHOSEN:
                _OneOfTwo(choices, field).key(field)
                continue
            wrong = choices.wrong.get(field)
            _Typed(
                choices,
                short,
                choices.texts.get(field, ""),
                lambda text, field=field: choices.put(field, text),
                t(f"settings.{short}.why"),
                "" if wrong is None else _told(wrong, short, t),
            ).key(field)


def _told(wrong: EduverseError, short: str, t: Words) -> str:
    """What is wrong with a field, beside which it stands; of a number, in the reader's language."""
    if short in _OWN_MESSAGE and "settings.llm" in str(wrong):
        return t(f"settings.{short}.wrong")
    said = bare_text(wrong, t)
    return said[:1].upper() + said[1:]


def key_tree(has_key: bool, t: Words) -> Tree:
    """Whether there is a key; never which."""
    kind, key = ("is-ok", "settings.key.there") if has_key else ("is-warn", "settings.key.missing")
    how = (
        []
        if has_key
        else [["p", {}, t("settings.key.how"), " ", ["kbd", {"dir": "ltr"}, "OPENAI_API_KEY=… eduverse app"]]]
    )
    return ["div", {"class": f"ev-note {kind}"}, ["p", {}, t(key)], *how]


@solara.component
def _Typed(choices: Choices, name: str, value: str, put: Any, why: str, wrong: str) -> None:
    t = use_words()
    text, set_text = solara.use_state(value)
    typed = solara.use_ref(value)

    def note(letters: str) -> None:  # every letter, or drawing the field again would take away what is half typed
        typed.current = letters
        set_text(letters)

    def take(*_: Any) -> None:
        put(typed.current)
        if _looks_secret(choices, name):
            note("")

    with solara.Div(classes=["ev-setting"]):
        with solara.Div():
            field = solara.InputText(
                t(f"settings.{name}.label"),
                value=text,
                on_value=note,
                continuous_update=True,
                error=wrong or False,
                placeholder=_usual(name, t),
            )
        solara.Text(why, classes=["ev-quiet", "ev-why"])
    solara.v.use_event(field, "focusout", take)
    solara.v.use_event(field, "keyup.enter", take)


def _looks_secret(choices: Choices, name: str) -> bool:
    field = next((field for field, short in _SHORT.items() if short == name), name)
    return "looks like a key" in str(choices.wrong.get(field, ""))


def _usual(name: str, t: Words) -> str:
    """What holds where a field is left empty."""
    environment = {"model": os.environ.get(MODEL, ""), "base_url": os.environ.get(BASE_URL) or OPENAI}
    if name in environment:
        return environment[name] or t("settings.model.none")
    return {"concurrency": "64", "temperature": "0.5", "policy": "teacher=llm,rest=embedded"}.get(
        name, t("settings.no_limit")
    )


@solara.component
def _OneOfTwo(choices: Choices, field: str) -> None:
    t = use_words()
    short = _SHORT[field]
    usual = _CHOSEN[short][0]
    shown = {name: t(f"settings.{short}.{name}") for name in _CHOSEN[short]}
    with solara.Div(classes=["ev-setting"]):
        Choice(
            t(f"settings.{short}.label"),
            shown,
            str(choices.texts.get(field, usual)),
            lambda name: choices.put(field, name),
        )
        solara.Text(t(f"settings.{short}.why"), classes=["ev-quiet", "ev-why"])
