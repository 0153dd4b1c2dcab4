"""The settings page: who answers, a test of it and an estimate; the adult to go to; and the dashboard itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import solara

from eduverse_mesa import __version__
from eduverse_mesa.dashboard.alert_banner import AllAlarms
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.elements import (
    Card,
    Choice,
    Form,
    Headline,
    Note,
    Reading,
    Toggle,
    Trouble,
    facts_tree,
    use_words,
)
from eduverse_mesa.dashboard.notice import use_live
from eduverse_mesa.dashboard.pages.settings.choices import (
    FIELDS,
    MIXTURE,
    PRESETS,
    Asked,
    Choices,
    Trial,
    choices_of,
    kind_of_setting,
    trial_of,
)
from eduverse_mesa.dashboard.shell import THEMES
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.llm.setup import BASE_URL, MODEL, OPENAI, Tried
from eduverse_mesa.runs.estimate import Estimate
from eduverse_mesa.store.alerts import LONGEST, Adult
from eduverse_mesa.visualization.widgets.fields import buttons, field
from eduverse_mesa.visualization.widgets.sheet import Tree
from eduverse_mesa.visualization.words import LANGUAGES, Words, run_on
from eduverse_mesa.visualization.words.errors import bare_text, error_text
from eduverse_mesa.web.addresses import is_loopback
from eduverse_mesa.web.alerts import help_words

_LINES = ("name", "reach", "line")


@solara.component
def TheAdult(desk: Desk) -> None:
    """Form for the adult: name, where to find him or her, and a help line."""
    t = use_words()
    alerts = desk.office.alerts
    use_live(alerts.changed)
    adult = alerts.adult
    typed = solara.use_ref({name: getattr(adult, name) for name in _LINES})
    said, set_said = solara.use_state(("", ""))

    def hear(name: str, value: Any) -> None:
        if name in _LINES:
            typed.current = {**typed.current, name: str(value)}
            return
        try:
            alerts.name_adult(Adult(**typed.current))
        except EduverseError as error:
            key = "too_long" if any(len(one) > LONGEST for one in typed.current.values()) else "nobody"
            known = key == "too_long" or not typed.current["name"].strip()
            set_said((t(f"alerts.adult.{key}", n=LONGEST) if known else bare_text(error, t), "bad"))
        else:
            set_said((t("alerts.adult.saved"), "ok"))

    fields = [field(name, "text", t(f"alerts.adult.{name}"), typed.current[name]) for name in _LINES]
    fields.append(buttons("do", ("save", t("alerts.adult.save"), "primary")))
    with Card(t("alerts.adult.title")):
        solara.Text(t("alerts.adult.why"), classes=["ev-quiet"])
        Form(fields, hear, label=t("alerts.adult.title"))
        if said[0]:
            Note(said[0], kind=said[1])
        Reading(["p", {"class": "ev-muted ev-small", "dir": "auto"}, ["em", {}, run_on(help_words(t, adult))]])
        solara.Text(t("alerts.overlooks"), classes=["ev-quiet", "ev-small"])


@solara.component
def TheHouse(desk: Desk) -> None:
    """Settings that hold for every page."""
    t = use_words()
    use_live(desk.changed)
    with Card(t("settings.house.title")):
        with solara.Div(classes=["ev-house"]):
            solara.Text(t("app.language"), classes=["ev-quiet"])
            with solara.Div(classes=["ev-row"]):
                for code, name in LANGUAGES.items():
                    Toggle(name, code == t.language, lambda code=code: desk.choose_language(code), language=code)
            solara.Text(t("app.theme.label"), classes=["ev-quiet"])
            _Theme(desk)
        Reading(house_tree(desk.office.study, desk.office.address, desk.office.rights.token is not None, t))


@solara.component
def _Theme(desk: Desk) -> None:
    t = use_words()
    use_live(desk.changed)
    with solara.Div(classes=["ev-row"]):
        for name, value in THEMES.items():
            Toggle(t(f"app.theme.{name}"), value is desk.dark, lambda value=value: desk.choose_theme(value))


def house_tree(study: str, address: str, guarded: bool, t: Words) -> Tree:
    """Return the tree of where runs are kept, who can reach the dashboard, and its version."""
    host = urlsplit(address).hostname or ""
    near = is_loopback(host)
    reach = "near_token" if near and guarded else "near" if near else "open"
    facts = [
        (t("settings.house.study"), study, t("settings.house.study_why")),
        (t("settings.house.address"), address or "–", t(f"settings.house.{reach}")),
        (t("settings.house.version"), __version__, ""),
    ]
    return [
        "dl",
        {"class": "ev-stacked"},
        *(
            ["div", {}, ["dt", {}, name], ["dd", {"dir": "auto"}, value],
             ["dd", {"class": "ev-muted ev-small"}, why] if why else ""]
            for name, value, why in facts
        ),
    ]  # fmt: skip


_LATENCY = 1.5
"""Seconds that a call takes where nobody has tried."""


@solara.component
def Testing(choices: Choices, trial: Trial) -> None:
    """One small call, really made."""
    t = use_words()
    use_live(trial.call.changed)
    use_live(choices.changed)
    named, busy = choices.model_named, trial.call.busy
    with Card(t("settings.test.title")):
        solara.Text(t(f"settings.test.why_{choices.model_asked}"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-row"]):
            label = t("settings.test.asking" if busy else "settings.test.go")
            solara.Button(label, color="primary", disabled=busy or not named, on_click=trial.try_it)
        if not named:
            Note(t("settings.test.no_model"))
        _found(trial.call, trial, lambda found: tried_tree(found, t), t)


def _found(asked: Asked, trial: Trial, tree: Callable[[Any], Tree], t: Words) -> None:
    """What was found out, or why it was not, and that something has changed since."""
    if (asked.found is not None or asked.error is not None) and asked.about != trial.about:
        Note(t("settings.stale"), kind="warn")
    if asked.error is not None:
        Trouble(asked.error)
    elif asked.found is not None:
        Reading(tree(asked.found))


def tried_tree(tried: Tried, t: Words) -> Tree:
    """A model that has answered, and what it said."""
    where = t("settings.test.at", server=tried.server) if tried.server else t("settings.test.here")
    usage = (
        ""
        if tried.tokens_in is None or tried.tokens_out is None
        else t("settings.test.usage", read=tried.tokens_in, written=tried.tokens_out)
    )
    said = (
        [["blockquote", {"class": "ev-quote", "dir": "auto"}, tried.said]]
        if tried.said
        else [["p", {"class": "ev-note is-warn"}, t("settings.test.silent")]]
    )
    return [
        "div",
        {},
        ["p", {"class": "ev-note is-ok", "role": "status"}, t("settings.test.ok", seconds=f"{tried.seconds:.2f}")],
        *said,
        [
            "p",
            {"class": "ev-muted ev-small", "dir": "auto"},
            " · ".join(part for part in (tried.model, where, usage) if part),
        ],
    ]


@solara.component
def Estimating(choices: Choices, trial: Trial) -> None:
    """Estimate of the cost and time of the lesson on the classroom page."""
    t = use_words()
    use_live(trial.estimate.changed)
    use_live(trial.call.changed)
    use_live(choices.changed)
    busy, tried = trial.estimate.busy, trial.call.found
    latency = tried.seconds if tried else _LATENCY
    slots = 1 if choices.model_asked == "local" else choices.model_settings.concurrency
    with Card(t("settings.estimate.title")):
        solara.Text(t("settings.estimate.why"), classes=["ev-quiet"])
        with solara.Div(classes=["ev-row"]):
            label = t("settings.estimate.counting" if busy else "settings.estimate.go")
            solara.Button(label, outlined=True, disabled=busy, on_click=trial.reckon)
        _found(trial.estimate, trial, lambda found: estimate_tree(found, latency, slots, t), t)


def estimate_tree(one: Estimate, latency: float, slots: int, t: Words) -> Tree:
    """An estimate as facts."""
    out, cost = one.tokens_out, one.cost_usd
    facts = [
        (t("settings.estimate.steps"), f"{one.steps}"),
        (t("settings.estimate.calls"), f"{one.calls:,}"),
        (t("settings.estimate.read"), f"{one.tokens_in:,}"),
        (t("settings.estimate.written"), t("settings.estimate.between", **{name: f"{n:,}" for name, n in out.items()})),
        (t("settings.estimate.price"), t("settings.estimate.unpriced") if cost is None else _price(cost, t)),
        (t("settings.estimate.time", seconds=f"{latency:.1f}"), _duration(one.seconds(latency, slots), t)),
    ]  # fmt: skip
    return [
        "div",
        {},
        facts_tree(facts),
        ["p", {"class": "ev-muted ev-small"}, t("settings.estimate.about")],
    ]


def _price(cost: dict[str, float], t: Words) -> str:
    if not any(cost.values()):
        return t("settings.estimate.free")
    return t("settings.estimate.between", **{name: f"${amount:.2f}" for name, amount in cost.items()})


def _duration(seconds: float, t: Words) -> str:
    if seconds < 120:
        return t("settings.estimate.seconds", n=f"{seconds:.0f}")
    return t("settings.estimate.minutes", n=f"{seconds / 60:.0f}")


def short_name(field: str) -> str:
    """The last part of a setting's name, which its words have."""
    return field.rpartition(".")[2]


@solara.component
def SettingsPage(desk: Desk) -> None:
    """How lessons that are begun here are answered."""
    t = use_words()
    choices, trial = choices_of(desk), trial_of(desk)
    use_live(choices.changed)
    with solara.Div(classes=["ev-stack", "ev-settings"]):
        Headline(t("settings.title"), t("settings.lead"))
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
            wrong = choices.wrong.get("policy")
            told = "" if wrong is None else error_text(wrong, t)
            _Typed(choices, "policy", choices.policy, choices.mix, t("settings.policy.mixture_why"), told)


def choices_tree(chosen: str, t: Words) -> Tree:
    """Return the tree of policies that may answer, each with what it means. Comes back: one of PRESETS, or MIXTURE."""
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
            short, kind = short_name(field), kind_of_setting(field)
            if kind.shape in ("choice", "yes_no"):
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
    """Return the message about a wrong field, beside which it stands; of a number, in the reader's language."""
    if f"settings.{short}.wrong" in t and "settings.llm" in str(wrong):
        return t(f"settings.{short}.wrong")
    said = bare_text(wrong, t)
    return said[:1].upper() + said[1:]


def key_tree(has_key: bool, t: Words) -> Tree:
    """Return the note on the key: tells if there is one, never which."""
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
    field = next((field for field in FIELDS if short_name(field) == name), name)
    return "looks like a key" in str(choices.wrong.get(field, ""))


def _usual(name: str, t: Words) -> str:
    """Return the value that holds for a field left empty."""
    environment = {"model": os.environ.get(MODEL, ""), "base_url": os.environ.get(BASE_URL) or OPENAI}
    if name in environment:
        return environment[name] or t("settings.model.none")
    if name == "policy":
        return "teacher=llm,rest=embedded"
    usual = kind_of_setting(next(field for field in FIELDS if short_name(field) == name)).usual
    return t("settings.no_limit") if usual is None else f"{usual:g}"


@solara.component
def _OneOfTwo(choices: Choices, field: str) -> None:
    t = use_words()
    short, kind = short_name(field), kind_of_setting(field)
    usual = str(kind.usual).lower()
    shown = {name: t(f"settings.{short}.{name}") for name in kind.choices or ("false", "true")}
    with solara.Div(classes=["ev-setting"]):
        Choice(
            t(f"settings.{short}.label"),
            shown,
            choices.texts.get(field, usual),
            lambda name: choices.put(field, name),
        )
        solara.Text(t(f"settings.{short}.why"), classes=["ev-quiet", "ev-why"])
