"""In and out."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from eduverse_mesa.store.logins import LONGEST, TooManyError, log_in, log_out
from eduverse_mesa.visualization.mathematics.asking import COOKIE, Ask
from eduverse_mesa.visualization.mathematics.markup import tag


def home(ask: Ask) -> Response:
    """To where one belongs."""
    if ask.account is None:
        return RedirectResponse("/login", 303)
    return RedirectResponse("/class" if ask.account.role == "teacher" else "/work", 303)


def login(ask: Ask) -> Response:
    """The door, and what comes of knocking."""
    if ask.request.method == "GET":
        return _door(ask)
    try:
        found = log_in(ask.study, ask.one("name"), ask.one("password"), ask.address, ask.house.clock())
    except TooManyError as error:
        return _door(ask, ask.say("too_many", n=max(1, round(error.wait))), 429)
    if found is None:
        return _door(ask, ask.say("wrong"), 403)
    if ask.token:
        log_out(ask.study, ask.token)  # whatever login the browser had before
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, found[1], max_age=int(LONGEST), httponly=True, samesite="strict", secure=ask.house.secure
    )  # fmt: skip
    return answer


def _door(ask: Ask, trouble: str = "", status: int = 200) -> Response:
    return ask.page(
        ask.say("log_in"),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        ask.form_tag(
            "/login",
            tag("label", ask.say("name"), tag("input", name="name", autocomplete="username", required=True)),
            tag(
                "label",
                ask.say("password"),
                tag("input", name="password", type="password", autocomplete="current-password", required=True),
            ),
            tag("button", ask.say("log_in")),
            class_="ev-card",
        ),
        status=status,
    )


def logout(ask: Ask) -> Response:
    """Out, on the server as well."""
    log_out(ask.study, ask.token)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=ask.house.secure)
    return answer
