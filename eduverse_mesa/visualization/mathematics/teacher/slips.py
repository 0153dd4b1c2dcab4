"""Slips: names with their passwords, to be printed and cut apart."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_urlsafe

from starlette.responses import RedirectResponse, Response

from eduverse_mesa.store.accounts import LONGEST_NAME, all_accounts
from eduverse_mesa.visualization.app.addresses import is_loopback
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, join, tag
from eduverse_mesa.visualization.mathematics.meanwhile import Slip
from eduverse_mesa.visualization.mathematics.teacher.parts import navigation
from eduverse_mesa.visualization.words import LANGUAGES, Words, load_words

PAGE = "/class/slips"


def not_printed(ask: Ask) -> list[Slip]:
    """The slips of this sitting."""
    me, now = ask.need("teacher"), ask.house.clock()
    return ask.house.slips.of(me.id, now, lambda: {one.id for one in all_accounts(ask.study)})


def slips(ask: Ask, refused: Mapping[str, str] | None = None) -> Response:
    """All that were made and not printed yet. Names that were refused stand above, to be mended."""
    kept = not_printed(ask)
    if not kept:
        return RedirectResponse("/class", 303)
    where, words = str(ask.request.base_url), _words_of(ask)
    done = ask.form_tag(
        PAGE,
        tag("button", ask.teach("print"), type="button", data_print=True),
        " ",
        tag("button", ask.teach("have_them"), class_="ev-second"),
        class_="ev-noprint",
    )
    return ask.page(
        ask.say("teach.passwords"),
        navigation(ask),
        _to_mend(ask, refused) if refused else None,
        tag("h2", ask.teach("slips", n=len(kept)), class_="ev-noprint"),
        tag("p", ask.teach("slips_why"), class_="ev-noprint"),
        _only_here(ask, "only_here", "is-bad"),
        done,
        tag("ul", *(_slip(words[one.account], where, one) for one in kept), class_="ev-slips", id="passwords"),
        script="teaching.js",
    )


def own_slip(ask: Ask, one: Slip) -> Response:
    """What one has given oneself: it ends every login, so there is no form on this page, and no slip is left behind."""
    words = ask.t
    ask.account = None
    ask.t = words
    return ask.page(
        ask.teach("own_password"),
        tag("p", ask.teach("own_password_why")),
        tag("ul", _slip(words, str(ask.request.base_url), one), class_="ev-slips", id="passwords"),
        tag("p", tag("a", ask.say("log_in"), href="/login", class_="ev-button"), class_="ev-noprint"),
    )


def _to_mend(ask: Ask, refused: Mapping[str, str]) -> Markup:
    said = tag("div", refusals(ask, refused), class_="ev-bad", role="alert")
    return tag("div", said, new_students(ask, "\n".join(refused)), class_="ev-noprint")


def _slip(t: Words, where: str, one: Slip) -> Markup:
    """In the language of who is to log in with it."""
    return tag(
        "li",
        tag("dl",
            tag("dt", t("teaching.address")), tag("dd", where),
            tag("dt", t("mathematics.name")), tag("dd", tag("b", one.name)),
            tag("dt", t("mathematics.password")), tag("dd", tag("code", one.password))),
        lang=t.language,
    )  # fmt: skip


def _words_of(ask: Ask) -> Mapping[str, Words]:
    """The words in which each account reads its pages; the teacher's own where it has not said."""
    return {one.id: load_words(one.language) if one.language else ask.t for one in all_accounts(ask.study)}


def _only_here(ask: Ask, note: str, look: str) -> Markup | None:
    """An address of this machine leads from any other one to nowhere."""
    if not is_loopback(ask.request.url.hostname or ""):
        return None
    where = str(ask.request.base_url)
    return tag("p", ask.teach(note, address=where), class_=f"ev-note {look} ev-noprint", role="status")


def have_them(ask: Ask) -> Response:
    """They are printed, and forgotten."""
    ask.house.slips.clear(ask.need("teacher").id)
    return RedirectResponse("/class", 303)


def reminder(ask: Ask) -> Markup | None:
    """The way to slips that are not printed yet."""
    kept = not_printed(ask)
    if not kept:
        return None
    return tag(
        "p",
        ask.teach("slips_left", n=len(kept)),
        " ",
        tag("a", ask.teach("slips_show"), href=PAGE),
        class_="ev-note is-warn",
    )


def refusals(ask: Ask, names: Mapping[str, str]) -> Markup | None:
    """Which names have no account, and why."""
    if not names:
        return None
    listed = [
        tag("li", tag("b", name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"), f": {why}")
        for name, why in names.items()
    ]
    return join([tag("p", ask.teach("not_made")), tag("ul", *listed)])


def form_key() -> Markup:
    """By which a form is known that is sent twice."""
    return tag("input", type="hidden", name="form", value=token_urlsafe(12))


def new_students(ask: Ask, names: str = "") -> Markup:
    """The form for accounts. `names`: what was typed and is still to be added."""
    languages = [tag("option", name, value=code, selected=code == ask.t.language) for code, name in LANGUAGES.items()]
    return ask.form_tag(
        "/class",
        form_key(),
        tag("h2", ask.say("teach.add_students")),
        _only_here(ask, "only_here_yet", "is-warn") if not names else None,
        tag("label", ask.say("teach.names"), tag("textarea", names, name="names", rows=5, required=True)),
        tag("label", ask.teach("pages_in"), tag("select", *languages, name="language")),
        tag("button", ask.teach("make_accounts")),
        class_="ev-card",
    )
