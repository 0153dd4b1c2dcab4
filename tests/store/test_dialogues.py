"""How long dialogues are kept, in a file and on a server."""

from __future__ import annotations

from sqlalchemy import update

from eduverse_mesa.runs.collaboration import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import TalkRow
from eduverse_mesa.store.accounts import account_named, add_account
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.store.dialogues import find_old, keep_days, set_keep_days, take_out_old
from eduverse_mesa.store.schema import messages
from tests.models.groups import STEPS, setup

PASSWORD = "correct horse"

NAMES = ("quokka", "kiwi")


def test_dialogues_of_which_nothing_was_said_for_long_go_and_no_other(place: str) -> None:
    with open_study(place, create=True) as opened:
        study = opened.study
        teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
        ids = [add_account(study, name, "student", PASSWORD, made_by=teacher.id).id for name in NAMES]
        work = add_assignment(study, "Week 1", "{}", ids, teacher.id)
        for day, (name, account) in enumerate(zip(NAMES, ids, strict=True), start=1):
            talk = begin_talk(
                opened, GroupSpec(setup(people=[name]), 1), name, of=TalkRow(name, account, work.id, STEPS)
            )
            talk.say(name, f"I am {name}", 1.0, f"the key of {name}")
            with study.transaction() as connection:
                at = f"2026-03-0{day}T10:00:00+00:00"
                connection.execute(update(messages).where(messages.c.run == name).values(at=at))
        assert find_old(study, "2026-03-01T09:00:00+00:00").runs == []
        assert take_out_old(study, "2026-03-02T00:00:00+00:00").runs == ["quokka"]
        assert [row.id for row in study.runs()] == ["kiwi"]
        assert account_named(study, "quokka") is not None, "the account stays"
        assert not set_keep_days(study, 5)
        assert set_keep_days(study, None), "longer than students were told"
        assert keep_days(study) is None
