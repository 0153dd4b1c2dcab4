"""Pages for mathematics that need no server to be seen: what is asked is answered here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import update
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eduverse_mesa.pupils.dialogues import Dialogues
from eduverse_mesa.pupils.markup import initial
from eduverse_mesa.pupils.request import Ask, Site, _made
from eduverse_mesa.pupils.server import handlers
from eduverse_mesa.pupils.student import free_seat, say, solve, work
from eduverse_mesa.pupils.teacher.downloads import export
from eduverse_mesa.pupils.teacher.overview import one_set
from eduverse_mesa.pupils.teacher.sets import end_set
from eduverse_mesa.pupils.teacher.transcript import transcript
from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.kernel import OtherwiseError
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import AccountRow, TalkRow
from eduverse_mesa.store.classwork import consent
from eduverse_mesa.store.schema import steps
from tests.models.groups import STEPS, problem, setup
from tests.pupils.mathematics import School, apart


@pytest.fixture
def school(tmp_path: Path) -> School:
    return School(tmp_path / "s.study", "kiwi")


@pytest.fixture
def site(school: School) -> Iterator[Site]:
    with open_study(str(school.path)) as opened:
        yield Site(opened, Dialogues(opened))


def asked(site: Site, who: AccountRow, **where: str) -> Ask:
    scope = {"type": "http", "method": "GET", "path": "/", "path_params": where, "query_string": b"", "headers": []}
    ask = Ask(Request(scope), site)
    ask.account = who
    return ask


def test_a_student_is_called_as_nobody_else_in_the_group() -> None:
    assert free_seat("Mia", ["Alice", "Bob"]) == "Mia"
    assert free_seat("bob", ["Alice", "Bob"]) == "bob 2"
    assert free_seat("Bob", ["bob", "BOB 2", "Bob 3"]) == "Bob 4"


def test_a_dialogue_that_goes_another_way_today_can_still_be_read(school: School, site: Site) -> None:
    kiwi = school.students["kiwi"]
    spec = GroupSpec(setup(people=["kiwi"]), 1)
    talk = begin_talk(site.opened, spec, "r", of=TalkRow("r", kiwi.id, school.work.id, STEPS))
    talk.say("kiwi", "what do we have to do, <Alice>?", 1.0, "a key of kiwi")
    said = talk.advance(talk.due or 0.0)
    assert said is not None
    whole = bytes(transcript(asked(site, school.teacher, run="r")).body).decode()
    assert 'id="minds"' in whole
    with site.study.transaction() as connection:
        connection.execute(update(steps).values(digest="of another"))
    page = bytes(transcript(asked(site, school.teacher, run="r")).body).decode()
    assert "recorded this dialogue" in page
    assert 'id="minds"' not in page
    assert "what do we have to do, &lt;Alice&gt;?" in page
    assert f'data-initial="{said.speaker[0]}"' in page
    assert [initial(one) for one in ("小雨", "小航", "kiwi", "小 A", "李", "")] == ["雨", "航", "k", "小", "李", ""]
    assert "is-peer-0" in page
    ask = asked(site, kiwi, assignment=school.work.id, number="1")
    consent(site.study, kiwi.id, "as it was")
    with pytest.raises(OtherwiseError) as raised:
        _made(ask, solve)
    told: list[Response] = []
    apart(lambda: told.append(anyio.run(handlers(site)[OtherwiseError], ask.request, raised.value)))
    assert told[0].status_code == 409
    assert "begun with an earlier version" in bytes(told[0].body).decode()


@pytest.mark.parametrize(
    ("rules", "state", "flag"),
    [
        ({"turns": 4}, "ended", "ended without agreement"),
        ({"parameters": {"notice.own": 0.0}}, "wrong", "agreed on a wrong answer"),
    ],
)
def test_only_what_is_solved_is_done(school: School, site: Site, rules: dict[str, Any], state: str, flag: str) -> None:
    kiwi = school.students["kiwi"]
    consent(site.study, kiwi.id, "yes")
    plan = setup(people=["kiwi"], **rules)
    limited = plan.peers[0].model_copy(update={"skill": "limited", "misconception": "multiplies"})
    plan = plan.model_copy(update={"peers": (limited,)})
    talk = begin_talk(site.opened, GroupSpec(plan, 2), "r", of=TalkRow("r", kiwi.id, school.work.id, STEPS))
    for number in range(200):
        if talk.over:
            break
        if talk.due is None or number % 2:
            talk.say("kiwi", "ok", talk.model.now + 1, f"a key of kiwi {number}")
        else:
            talk.advance(talk.due)
    assert talk.over
    assert not (talk.model.solved and talk.model.is_right)
    page = bytes(work(asked(site, kiwi)).body).decode()
    assert f"is-{state}" in page
    assert "0 of 2 done" in page
    seen = bytes(one_set(asked(site, school.teacher, assignment=school.work.id)).body).decode()
    assert flag in seen
    assert "0 of 2 problems" in seen
    shown = bytes(solve(asked(site, kiwi, assignment=school.work.id, number="1")).body).decode()
    assert re.search(r'id="solved"[^>]* hidden', shown)
    assert bool(re.search(r'id="agreed"[^>]* hidden', shown)) == (state == "ended")


@pytest.mark.parametrize("text", ["\u200b", "\u2800 \u2800", "\u3164", "\ufe0f", "\u2060\ufeff"])
def test_what_shows_nothing_is_not_said(school: School, site: Site, text: str) -> None:
    kiwi = school.students["kiwi"]
    consent(site.study, kiwi.id, "yes")
    spec = GroupSpec(setup(people=["kiwi"]), 1)
    begin_talk(site.opened, spec, "r", of=TalkRow("r", kiwi.id, school.work.id, STEPS))
    ask = asked(site, kiwi, run="r")
    ask.form = {"text": [text], "key": ["0123456789abcdef"]}
    with pytest.raises(HTTPException):
        say(ask)


def test_a_problem_keeps_its_name_where_a_pupil_is_called_so(tmp_path: Path) -> None:
    school = School(tmp_path / "s.study", "race")
    with open_study(str(school.path)) as opened:
        site, race = Site(opened, Dialogues(opened)), school.students["race"]
        consent(site.study, race.id, "yes")
        spec = GroupSpec(setup(None, ["race"]).model_copy(update={"problems": (problem("race_fuel"),)}), 1)
        talk = begin_talk(opened, spec, "r", of=TalkRow("r", race.id, school.work.id, "race_fuel"))
        talk.say("race", "I am race", 1.0, "a key of race")
        file = bytes(export(asked(site, school.teacher, assignment=school.work.id, file="messages.csv")).body)
    [row] = csv.DictReader(io.StringIO(file.decode("utf-8-sig")))
    assert (row["problem"], row["speaker"], row["text"]) == ("race_fuel", "student 1", "I am student 1")


def test_a_teacher_sees_the_stage_that_the_pupil_sees(school: School, site: Site) -> None:
    kiwi = school.students["kiwi"]
    of = TalkRow("r", kiwi.id, school.work.id, STEPS)
    talk = begin_talk(site.opened, GroupSpec(setup(people=["kiwi"], wait_alone=0, wait_shared=0), 1), "r", of=of)
    while talk.model.stage == "understand":
        talk.advance(talk.due or talk.model.now + 1)
    assert talk.messages[-1].stage == "understand", "with it the stage was closed"
    seen = bytes(one_set(asked(site, school.teacher, assignment=school.work.id)).body).decode()
    assert '<span class="ev-chip is-going">Share the work</span>' in seen
    end_set(asked(site, school.teacher, assignment=school.work.id))
    consent(site.study, kiwi.id, "yes")
    page = bytes(solve(asked(site, kiwi, assignment=school.work.id, number="1")).body).decode()
    assert "Your teacher has ended this set" in page
    assert "Go on:" not in page
