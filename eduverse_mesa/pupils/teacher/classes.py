"""The teacher's pages about the class: accounts, groups, calls for help, and colleagues who have classes of their
own."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_urlsafe
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from eduverse_mesa.errors import EduverseError, StudyError
from eduverse_mesa.pupils.alarms import PAGE, line_of, moment, verdict_form
from eduverse_mesa.pupils.markup import Markup, join, tag
from eduverse_mesa.pupils.request import Ask, Slip
from eduverse_mesa.pupils.retention import erase as erase_for_good
from eduverse_mesa.pupils.teacher.parts import (
    boxes,
    chosen_students,
    my_colleague,
    my_group,
    my_groups,
    my_student,
    my_students,
    navigation,
    sure,
    table,
)
from eduverse_mesa.store import AccountRow, GroupRow, Role, Verdict
from eduverse_mesa.store.accounts import LONGEST_NAME, add_account, alike, all_accounts, draw_password, set_password
from eduverse_mesa.store.alerts import LONGEST, Adult, PupilsAlert, alerts_for, name_adult, read_adult, settle_alert
from eduverse_mesa.store.classwork import add_group, change_group, delete_group, has_consented
from eduverse_mesa.visualization.words import LANGUAGES, Words, load_words
from eduverse_mesa.web.addresses import is_loopback
from eduverse_mesa.web.alerts import help_words, verdicts_said

_VERDICTS: dict[str, Verdict] = {"seen": "seen", "false": "false", "open": ""}
_LINES = ("name", "reach", "line")


def alerts(ask: Ask) -> Response:
    """All of them, the newest first."""
    found = alerts_for(ask.study, ask.need("teacher").id)
    rows = [_row(ask, one) for one in found]
    heads = [ask.t(f"alerts.head.{name}") for name in ("who", "when", "where", "what", "done")]
    listed = table([*heads, ""], rows) if rows else tag("p", ask.t("alerts.none"))
    return ask.page(
        ask.t("alerts.title"),
        navigation(ask),
        tag("p", ask.t("alerts.overlooks"), class_="ev-quiet"),
        tag("section", listed, class_="ev-card"),
        tag("p", tag("a", ask.t("alerts.whom"), href="/class#adult")),
    )


def _row(ask: Ask, one: PupilsAlert) -> list[object]:
    there = tag("a", ask.t("alerts.open_it"), href=line_of(one))
    return [one.name, moment(one.alert.at), one.title, one.alert.text, _made_of(ask, one), there]


def _made_of(ask: Ask, one: PupilsAlert) -> Markup:
    """All that was made of it, and what can be made of it now."""
    said = [tag("p", each) for each in verdicts_said(ask.t, one.alert)]
    still_open = None if one.alert.verdict else tag("b", ask.t("alerts.open_yet"), class_="ev-bad")
    return join([*said, still_open, verdict_form(ask, one)])


def settle(ask: Ask) -> Response:
    """Note that a teacher sees to it, that it was a false alarm, or that neither is so after all."""
    me, wanted, verdict = ask.need("teacher"), ask.path("alert"), ask.one("verdict")
    found = next((one for one in alerts_for(ask.study, me.id) if one.alert.id == wanted), None)
    if verdict not in _VERDICTS or found is None:
        raise HTTPException(404)
    settle_alert(ask.study, wanted, _VERDICTS[verdict], me.name)
    if "x-csrf" in ask.request.headers:
        return Response(status_code=204)
    return ask.on(line_of(found) if ask.one("back") == "talk" else PAGE, ask.t("alerts.done"))


def adult_form(ask: Ask, typed: Adult | None = None, trouble: str = "") -> Markup:
    """Return the form that names the adult whom children of this class can go to."""
    adult = read_adult(ask.study, ask.need("teacher").id) if typed is None else typed
    fields = [
        tag(
            "label",
            ask.t(f"alerts.adult.{name}"),
            tag("input", name=name, value=getattr(adult, name), maxlength=LONGEST, autocomplete="off"),
        )
        for name in _LINES
    ]
    shown = " ".join(help_words(ask.t, adult)) if typed is None else ""
    form = ask.form_tag(
        "/class/adult",
        tag("p", ask.t("alerts.adult.why"), class_="ev-quiet"),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        *fields,
        tag("p", tag("q", shown), class_="ev-quiet") if shown else None,
        tag("button", ask.t("alerts.adult.save")),
        class_="ev-form",
    )
    quiet = tag("p", ask.t("alerts.overlooks"), class_="ev-quiet")
    return tag("section", tag("h2", ask.t("alerts.adult.title")), join([form, quiet]), class_="ev-card", id="adult")


def name_the_adult(ask: Ask) -> Response:
    """Keep whom children can go to."""
    me = ask.need("teacher")
    typed = Adult(*(ask.one(name) for name in _LINES))
    try:
        name_adult(ask.study, typed, me.id)
    except StudyError:
        long = any(len(one) > LONGEST for one in (typed.name, typed.reach, typed.line))
        trouble = ask.t("alerts.adult.too_long", n=LONGEST) if long else ask.t("alerts.adult.nobody")
        return ask.page(
            ask.t("alerts.adult.title"), navigation(ask), adult_form(ask, typed, trouble), status=422
        )  # fmt: skip
    return ask.on("/class#adult", ask.t("alerts.adult.saved"))


SLIPS_PAGE = "/class/slips"


def not_printed(ask: Ask) -> list[Slip]:
    """The slips of this sitting."""
    me, now = ask.need("teacher"), ask.site.clock()
    return ask.site.slips.of(me.id, now, lambda: {one.id for one in all_accounts(ask.study)})


def slips(ask: Ask, refused: Mapping[str, str] | None = None) -> Response:
    """All that were made and not printed yet. Names that were refused stand above, to be mended."""
    kept = not_printed(ask)
    if not kept:
        return RedirectResponse("/class", 303)
    where, words = str(ask.request.base_url), _words_of(ask)
    done = ask.form_tag(
        SLIPS_PAGE,
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
    """Show the slip of a password that somebody has given themselves. The new password ends every login, so there is no
    form on this page, and no slip is left behind."""
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
    """Return the words in which each account reads its pages; the teacher's own where no language was chosen."""
    return {one.id: load_words(one.language) if one.language else ask.t for one in all_accounts(ask.study)}


def _only_here(ask: Ask, note: str, look: str) -> Markup | None:
    """An address of this machine leads from any other one to nowhere."""
    if not is_loopback(ask.request.url.hostname or ""):
        return None
    where = str(ask.request.base_url)
    return tag("p", ask.teach(note, address=where), class_=f"ev-note {look} ev-noprint", role="status")


def have_them(ask: Ask) -> Response:
    """They are printed, and forgotten."""
    ask.site.slips.clear(ask.need("teacher").id)
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
        tag("a", ask.teach("slips_show"), href=SLIPS_PAGE),
        class_="ev-note is-warn",
    )


def refusals(ask: Ask, names: Mapping[str, str]) -> Markup | None:
    """Return the list of names that have no account, each with the reason; None where there are none."""
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


MOST_AT_ONCE = 200
"""Accounts that one form makes."""


# --- the class ---


class _Draft(NamedTuple):
    """A group as it stands in its form."""

    name: str = ""
    members: tuple[str, ...] = ()


def class_(ask: Ask, trouble: object = "", names: str = "", draft: _Draft | None = None) -> Response:
    """Students, groups of them, and colleagues. `names` and `draft`: what was typed and is not kept yet."""
    me = ask.need("teacher")
    students, groups = my_students(ask), my_groups(ask)
    return ask.page(
        ask.say("teach.class"),
        navigation(ask),
        reminder(ask),
        tag("div", trouble, class_="ev-bad", role="alert") if trouble else None,
        tag("section", tag("h2", ask.say("teach.students")), _students(ask, students, groups), class_="ev-card"),
        new_students(ask, names),
        _groups(ask, students, groups, draft or _Draft()),
        adult_form(ask),
        _colleagues(ask, me),
        status=422 if trouble else 200,
    )


def _students(ask: Ask, students: list[AccountRow], groups: list[GroupRow]) -> Markup:
    if not students:
        return tag("p", ask.say("teach.no_students"))
    rows: list[list[object]] = []
    for one in students:
        of = ", ".join(group.name for group in groups if one.id in group.members)
        agreed = ask.say("teach.has_agreed") if has_consented(ask.study, one.id) else "–"
        anew = ask.form_tag(
            f"/class/{one.id}/password", tag("button", ask.say("teach.new_password"), class_="ev-plain")
        )
        erase = tag("a", ask.say("teach.erase"), href=f"/class/{one.id}/erase")
        rows.append([one.name, of, agreed, anew, erase])
    heads = [ask.say("name"), ask.say("teach.groups"), ask.say("teach.agreed"), "", ""]
    everybody = ask.form_tag(
        "/class/passwords",
        tag("p", ask.teach("all_passwords_why"), class_="ev-quiet"),
        tag("button", ask.teach("all_passwords"), class_="ev-plain"),
    )
    return join([table(heads, rows), everybody])


def add_students(ask: Ask) -> Response:
    """Accounts for these names, each with a password that is drawn."""
    names = [" ".join(line.split()) for line in ask.one("names").splitlines() if line.strip()]
    language = ask.one("language") if ask.one("language") in LANGUAGES else "en"
    return _add(ask, names, "student", language)


def add_teacher(ask: Ask) -> Response:
    """A colleague, who has a class of her own."""
    return _add(ask, [ask.one("name")], "teacher", ask.t.language)


def _add(ask: Ask, names: list[str], role: Role, language: str) -> Response:
    me = ask.need("teacher")
    if len(names) > MOST_AT_ONCE:
        return class_(ask, ask.say("teach.too_many", n=MOST_AT_ONCE), "\n".join(names))
    with ask.site.slips.turn(me.id, ask.site.clock()):
        form = _key(ask, names)
        refused = ask.site.slips.sent_before(me.id, form) if form else None
        made = refused is not None and bool(not_printed(ask))  # the same form, sent again
        if refused is None:
            made, refused = _make(ask, names, role, language)
            ask.site.slips.done(me.id, form, refused)
    if made:
        return slips(ask, refused)
    return class_(ask, refusals(ask, refused) or ask.teach("no_names"), "\n".join(refused) if role == "student" else "")


def _make(ask: Ask, names: list[str], role: Role, language: str) -> tuple[bool, dict[str, str]]:
    """Make accounts for names; return True if any was made, and the names that have none, each with the reason."""
    me, made, refused = ask.need("teacher"), dict[str, tuple[str, str]](), dict[str, str]()
    for name in names:
        password = draw_password()
        try:
            row = add_account(ask.study, name, role, password, made_by=me.id, language=language)
        except EduverseError as error:  # one that cannot be keeps no other out
            refused[name] = ask.told(error)
            continue
        made[row.id] = (row.name, password)
        ask.site.slips.put(me.id, {row.id: made[row.id]}, ask.site.clock())  # whatever becomes of the next one
    ask.site.slips.put(me.id, made, ask.site.clock())  # in the order of the form
    return bool(made), refused


def _key(ask: Ask, names: list[str]) -> str:
    """By which a form that is sent again is known, without the names themselves; empty for what no page sent."""
    return sha256("\n".join((ask.one("form"), *names)).encode()).hexdigest() if ask.one("form") else ""


# --- passwords ---


def new_password(ask: Ask) -> Response:
    """Another password, where one was forgotten."""
    student = my_student(ask)
    return _new_passwords(ask, [student])


def new_passwords(ask: Ask) -> Response:
    """Another password for everybody, where the slips are lost."""
    return _new_passwords(ask, my_students(ask)) if ask.one("sure") == "yes" else _sure_of_passwords(ask)


def _sure_of_passwords(ask: Ask) -> Response:
    count = len(my_students(ask))
    form = sure(ask, "/class/passwords", ask.teach("all_passwords_sure", n=count), ask.teach("all_passwords"), "/class")
    return ask.page(ask.teach("all_passwords"), navigation(ask), form)


def new_password_of_teacher(ask: Ask) -> Response:
    """A colleague has forgotten hers; or one wants another oneself, and logs in with it."""
    one = my_colleague(ask)
    if one.id != ask.need("teacher").id:
        return _new_passwords(ask, [one])
    password = draw_password()
    set_password(ask.study, one.id, password)
    return own_slip(ask, Slip(one.id, one.name, password))


def _new_passwords(ask: Ask, of: list[AccountRow]) -> Response:
    me, made = ask.need("teacher"), dict[str, tuple[str, str]]()
    for one in of:
        made[one.id] = (one.name, draw_password())
        set_password(ask.study, one.id, made[one.id][1])
        ask.site.slips.put(me.id, {one.id: made[one.id]}, ask.site.clock())  # whatever becomes of the next one
    ask.site.slips.put(me.id, made, ask.site.clock())  # in the order of the class
    return slips(ask)


# --- groups ---


def _groups(ask: Ask, students: list[AccountRow], groups: list[GroupRow], draft: _Draft) -> Markup | None:
    if not students and not groups:
        return None
    names = {one.id: one.name for one in students}
    listed: list[list[object]] = [
        [tag("a", one.name, href=f"/groups/{one.id}"), ", ".join(names[m] for m in one.members if m in names)]
        for one in groups
    ]
    there = table([ask.say("name"), ask.say("teach.students")], listed) if listed else None
    form = _group_form(ask, "/groups", students, draft, ask.teach("make_group")) if students else None
    return tag("section", tag("h2", ask.say("teach.groups")), there, form, class_="ev-card")


def _group_form(ask: Ask, action: str, students: list[AccountRow], draft: _Draft, button: str) -> Markup:
    return ask.form_tag(
        action,
        tag("h3", ask.say("teach.add_group")) if action == "/groups" else None,
        tag(
            "label", ask.say("name"), tag("input", name="name", value=draft.name, required=True, maxlength=LONGEST_NAME)
        ),
        boxes("student", [(one.id, one.name) for one in students], ask.say("teach.students"), draft.members),
        tag("button", button),
        class_="ev-form",
    )


def _amiss(ask: Ask, draft: _Draft, but: str = "") -> str:
    """Why there can be no such group: nobody is in it, or another one (`but` this) has its name."""
    if not draft.members:
        return ask.teach("empty_group")
    if alike(draft.name) in {alike(one.name) for one in my_groups(ask) if one.id != but}:
        return ask.teach("group_taken", name=" ".join(draft.name.split())[:LONGEST_NAME])
    return ""


def add_the_group(ask: Ask) -> Response:
    """Students put together."""
    me = ask.need("teacher")
    draft = _Draft(ask.one("name"), tuple(chosen_students(ask)))
    trouble = _amiss(ask, draft)
    if not trouble:
        try:
            add_group(ask.study, draft.name, draft.members, me.id)
        except EduverseError as error:
            trouble = ask.told(error)
    return class_(ask, trouble, draft=draft) if trouble else ask.on("/class", ask.teach("done.saved"))


def group(ask: Ask) -> Response:
    """A group: its name, who is in it, and an end to it."""
    one = my_group(ask)
    if not ask.is_form:
        return _group_page(ask, one, _Draft(one.name, one.members))
    if ask.one("do") == "delete":
        delete_group(ask.study, one.id)
        return ask.on("/class", ask.teach("done.apart"))
    draft = _Draft(ask.one("name"), tuple(chosen_students(ask)))
    trouble = _amiss(ask, draft, one.id)
    if not trouble:
        try:
            change_group(ask.study, one.id, draft.name, draft.members)
        except EduverseError as error:
            trouble = ask.told(error)
    return _group_page(ask, one, draft, trouble) if trouble else ask.on("/class", ask.teach("done.saved"))


def _group_page(ask: Ask, one: GroupRow, draft: _Draft, trouble: str = "") -> Response:
    delete = ask.form_tag(
        f"/groups/{one.id}",
        tag("input", type="hidden", name="do", value="delete"),
        tag("p", ask.teach("delete_group_why"), class_="ev-quiet"),
        tag("button", ask.teach("delete_group"), class_="ev-plain"),
    )
    form = _group_form(ask, f"/groups/{one.id}", my_students(ask), draft, ask.say("teach.save"))
    return ask.page(
        one.name,
        navigation(ask),
        tag("p", trouble, class_="ev-bad", role="alert") if trouble else None,
        tag("section", form, class_="ev-card"),
        delete,
        status=422 if trouble else 200,
    )


# --- colleagues ---


def _colleagues(ask: Ask, me: AccountRow) -> Markup:
    rows: list[list[object]] = []
    for one in all_accounts(ask.study, "teacher"):
        anew: object = "–"
        if me.id in (one.id, one.made_by):
            button = tag("button", ask.say("teach.new_password"), class_="ev-plain")
            anew = ask.form_tag(f"/teachers/{one.id}/password", button)
        rows.append([join([one.name, ask.t.aside(ask.teach("yourself"))]) if one.id == me.id else one.name, anew])
    form = ask.form_tag(
        "/teachers",
        form_key(),
        tag("label", ask.say("name"), tag("input", name="name", required=True, maxlength=LONGEST_NAME)),
        tag("button", ask.teach("add_teacher")),
        class_="ev-form",
    )
    return tag(
        "details",
        tag("summary", ask.teach("teachers")),
        tag("p", ask.teach("teachers_why"), class_="ev-quiet"),
        table([ask.say("name"), ""], rows),
        form,
        class_="ev-card",
    )


# --- erasing ---


def erase(ask: Ask) -> Response:
    """A student and all that is theirs, for good; asked for twice."""
    student = my_student(ask)
    if not ask.is_form or ask.one("sure") != "yes":
        question = ask.say("teach.erase_sure", name=student.name)
        form = sure(ask, f"/class/{student.id}/erase", question, ask.say("teach.erase"), "/class", class_="ev-danger")
        return ask.page(ask.say("teach.erase"), navigation(ask), form)
    ask.site.slips.take_out(student.id)  # first: erasing may be held up
    erase_for_good(ask.site, student.id)
    return ask.on("/class", ask.teach("done.erased"))
