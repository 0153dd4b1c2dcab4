"""For how long the school keeps what students say, and that it goes when it has to."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Collection

from anyio.to_thread import run_sync
from starlette.responses import Response

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.policies.llm.connection import cache_path
from eduverse_mesa.pupils.alarms import PAGE as CALLS
from eduverse_mesa.pupils.dialogues import HERE
from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import Ask, Site
from eduverse_mesa.pupils.teacher.parts import navigation, whole
from eduverse_mesa.runs.groups.erasure import (
    Taken,
    find_kept_long,
    finish,
    make_sure,
    take_out,
    take_out_kept_long,
    take_out_set,
)
from eduverse_mesa.store.accounts import all_accounts, students_of, teacher_of
from eduverse_mesa.store.dialogues import Old, keep_days, set_keep_days
from eduverse_mesa.store.logins import forget_old
from eduverse_mesa.visualization.words import run_on
from eduverse_mesa.visualization.words.errors import bare_text

EVERY = 3600.0
"""Seconds after which it is looked again for what was kept long enough."""
LONGEST = 3650
"""Days. Whoever wants to keep it longer keeps it until it is erased."""

_LATER = "what was kept long enough could not be erased, and will be tried again: %s"

_log = logging.getLogger(__name__)


# --- erasing ---


def erase(site: Site, student: str) -> None:
    """Take a student out for good, while the server runs and their pages may be open. What raises after the tables are
    done (another program reads the study) is tried again every hour."""
    _finish_taking(site, take_out(site.study, student))


def erase_set(site: Site, assignment: str) -> None:
    """Take a set of problems out for good, with all dialogues of it."""
    _finish_taking(site, take_out_set(site.study, assignment))


def tidy(site: Site) -> None:
    """Take out what was kept long enough, and finish what could not be finished before."""
    now = site.clock()
    site.slips.tidy(now, lambda: {one.id for one in all_accounts(site.study)})
    forget_old(site.study, now)
    taken = take_out_kept_long(site.study, now)
    if taken is not None:
        _log.warning(
            "kept long enough, and erased now: %d dialogues, %d answers to the questions at the end",
            len(taken.runs),
            taken.surveys,
        )
        _finish_taking(site, taken)
    if finish(site.study, cache_path()):
        _log.warning("an erasing that another program had held up is finished")


def _finish_taking(site: Site, taken: Taken) -> None:
    site.forget(taken.runs)
    make_sure(site.study, taken, cache_path())


async def tend(site: Site, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Tidy up now and every hour, until this task is cancelled, whatever goes wrong in one hour."""
    while True:
        try:
            await run_sync(tidy, site)
        except EduverseError as error:
            _log.warning(_LATER, error)
        except Exception as error:  # a mistake of ours; its message may hold what was to be erased, its place does not
            _log.error(_LATER, f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}")
        await sleep(EVERY)


# --- what students are told, and teachers set ---


def consent_words(ask: Ask) -> list[str]:
    """Return the sentences that a student agrees to, as they hold today."""
    teacher = teacher_of(ask.study, ask.account) if ask.account else ""
    days = keep_days(ask.study, teacher)
    kept = ask.say("consent.kept") if days is None else ask.say("consent.kept_days", n=days)
    reader = ask.site.dialogues.minds.reader
    sent = ask.say("consent.model_here") if reader == HERE else ask.say("consent.model", host=reader) if reader else ""
    every = (ask.say("consent.what"), sent, ask.say("consent.who"), kept, ask.say("consent.free"))
    return [one for one in every if one]


def data(ask: Ask) -> Response:
    """How long dialogues of a class are kept: read, and set by its teacher. What would go at once is named first."""
    me = ask.need("teacher").id
    if not ask.is_form:
        return _page(ask, me)
    wanted = ask.one("days").strip()
    days = whole(wanted, 1, LONGEST)
    if wanted and days is None:
        trouble = tag("p", ask.say("data.whole_days", n=LONGEST), class_="ev-bad", role="alert")
        return _page(ask, me, trouble, status=422)
    old = find_kept_long(ask.study, ask.site.clock(), days, me)
    if not old.is_nothing and ask.one("sure") != "yes":
        return _page(ask, me, _sure(ask, me, str(days), old))
    set_keep_days(ask.study, days, me)
    try:
        tidy(ask.site)
    except EduverseError as error:
        return _page(ask, me, tag("p", ask.say("data.later"), " ", bare_text(error, ask.t), role="alert"))
    return ask.on("/data", ask.say("data.saved"))


def _sure(ask: Ask, me: str, wanted: str, old: Old) -> Markup:
    would_go = [ask.say("data.would_go", n=len(old.runs), names=_names(ask, me, old.pupils))] if old.runs else []
    if old.alerts:
        would_go.append(ask.say("data.alerts_go", n=old.alerts))
    if old.surveys:
        would_go.append(ask.say("data.answers_go", n=old.surveys))
    return ask.form_tag(
        "/data",
        tag("input", type="hidden", name="days", value=wanted),
        tag("input", type="hidden", name="sure", value="yes"),
        tag("p", run_on(would_go), role="alert"),
        tag("button", ask.say("data.go"), class_="ev-danger"),
        class_="ev-card",
    )


def _names(ask: Ask, me: str, pupils: Collection[str]) -> str:
    """Pupils of a class, as a list."""
    return ask.t.names(one.name for one in students_of(ask.study, me) if one.id in pupils)


def _waiting(ask: Ask, me: str, days: int | None) -> Markup | None:
    """Of dialogues that would be gone by now: whose wait until somebody has looked at what was told there."""
    pupils = find_kept_long(ask.study, ask.site.clock(), days, me).waiting
    if not pupils:
        return None
    said = ask.say("data.waits", names=_names(ask, me, pupils))
    return tag("p", said, " ", tag("a", ask.t("alerts.title"), href=CALLS), role="status")


def _page(ask: Ask, me: str, note: Markup | None = None, status: int = 200) -> Response:
    days, of_all = keep_days(ask.study, me), keep_days(ask.study)
    now = ask.say("data.until_erased") if days is None else ask.say("data.for_days", n=days)
    others = ask.say("data.all_until_erased") if of_all is None else ask.say("data.all_for_days", n=of_all)
    field = tag("input", name="days", type="number", min=1, max=LONGEST, value="" if days is None else days)
    form = ask.form_tag(
        "/data",
        tag("p", now),
        _waiting(ask, me, days),
        tag("label", ask.say("data.days"), field),
        tag("p", ask.say("data.longer")),
        tag("button", ask.say("data.save")),
        tag("p", others, class_="ev-quiet"),
        class_="ev-card",
    )
    beyond = tag("section", tag("p", ask.say("data.beyond")), class_="ev-card")
    return ask.page(ask.say("data.title"), navigation(ask), note, form, beyond, status=status)
