"""Logins: the way in, the way out, and the language of the pages."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from eduverse_mesa.pupils.markup import Markup, tag
from eduverse_mesa.pupils.request import BROWSER, COOKIE, Ask, NotLoggedInError, is_ours
from eduverse_mesa.store.accounts import TooManyError, set_language
from eduverse_mesa.store.logins import LONGEST, log_in, log_out, log_out_everywhere, remember
from eduverse_mesa.visualization.words import LANGUAGES


def home(ask: Ask) -> Response:
    """Send the reader on to the page where they belong."""
    if ask.account is None:
        return RedirectResponse("/login", 303)
    return RedirectResponse("/class" if ask.account.role == "teacher" else "/work", 303)


def login(ask: Ask) -> Response:
    """Show the login page, and answer a login that is sent from it."""
    if not ask.is_form:
        return _door(ask)
    try:
        found = log_in(
            ask.study, ask.one("name"), ask.one("password"), ask.address, ask.site.clock(), ask.browser
        )  # fmt: skip
    except TooManyError as error:
        ask.is_late = error.crowded
        return _door(ask, ask.say("too_many", n=max(1, round(error.wait))), 429)
    if found is None:
        return _door(ask, ask.say("wrong"), 403)
    if ask.chosen:  # at the door, and from now on
        set_language(ask.study, found[0].id, ask.chosen)
    if ask.token:
        log_out(ask.study, ask.token)  # whatever login the browser had before
    answer = RedirectResponse("/", 303)
    _set(ask, answer, COOKIE, found[1], LONGEST)
    _set(ask, answer, BROWSER, remember(ask.study, ask.browser, found[0].id), _KNOWN)
    return answer


_KNOWN = 200 * 24 * 3600.0
"""Seconds for which a browser is known: a school year is not much longer."""


def _set(ask: Ask, answer: Response, name: str, value: str, seconds: float) -> None:
    """A cookie that no script reads and no other site's page sends along."""
    answer.set_cookie(
        ask.site.cookie(name),
        value,
        max_age=int(seconds),
        httponly=True,
        samesite="strict",
        secure=ask.site.secure,
    )


def _door(ask: Ask, trouble: str = "", status: int = 200) -> Response:
    return ask.page(
        ask.say("log_in"),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        ask.form_tag(
            f"/login?language={ask.chosen}" if ask.chosen else "/login",
            tag(
                "label",
                ask.say("name"),
                tag(
                    "input",
                    name="name",
                    autocomplete="username",
                    autocapitalize="none",
                    spellcheck="false",
                    required=True,
                ),
            ),
            tag(
                "label",
                ask.say("password"),
                tag("input", name="password", type="password", autocomplete="current-password", required=True),
            ),
            tag("button", ask.say("log_in")),
            class_="ev-card",
        ),
        _languages(ask),
        status=status,
    )


def _languages(ask: Ask) -> Markup:
    """Return the choice of languages, all of them: people who cannot read this page have to find their own."""
    links = [
        tag(
            "a",
            said,
            href=f"/login?language={code}",
            lang=code,
            aria_current="true" if code == ask.t.language else None,
        )
        for code, said in LANGUAGES.items()
    ]
    return tag("nav", *links, aria_label=" / ".join(LANGUAGES.values()))


def logout(ask: Ask) -> Response:
    """Log out, on the server as well, and wherever else the person has logged in."""
    if ask.account is not None:
        log_out_everywhere(ask.study, ask.account.id)
        ask.site.dialogues.leave(ask.account.id)
        ask.site.slips.clear(ask.account.id)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(
        ask.site.cookie(COOKIE), httponly=True, samesite="strict", secure=ask.site.secure
    )  # fmt: skip
    return answer


def language(ask: Ask) -> Response:
    """The pages in another language, from now on; and back to where one was."""
    if ask.account is None:
        raise NotLoggedInError
    if ask.one("language") in LANGUAGES:
        set_language(ask.study, ask.account.id, ask.one("language"))
    then = ask.one("then")
    return RedirectResponse(then if is_ours(then) else "/", 303)
