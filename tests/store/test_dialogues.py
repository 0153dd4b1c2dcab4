"""How long dialogues are kept, in a file and on a server."""

from __future__ import annotations

from sqlalchemy import update

from eduverse_mesa.runs.groups import GroupSpec, begin_talk
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.store import TalkRow
from eduverse_mesa.store.accounts import account_named, add_account, teacher_of
from eduverse_mesa.store.alerts import add_alert, alert_at, all_alerts, settle_alert
from eduverse_mesa.store.classwork import add_assignment, consent, has_consented
from eduverse_mesa.store.dialogues import Old, Term, find_old, keep_days, set_keep_days, take_out_old
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
        assert find_old(study, [Term(tuple(ids), "2026-03-01T09:00:00+00:00")]).runs == []
        assert find_old(study, [Term((ids[1],), "2026-03-02T00:00:00+00:00")]).runs == [], "of no other pupil"
        assert take_out_old(study, [Term(tuple(ids), "2026-03-02T00:00:00+00:00")]).runs == ["quokka"]
        assert [row.id for row in study.runs()] == ["kiwi"]
        assert account_named(study, "quokka") is not None, "the account stays"
        assert not set_keep_days(study, 5)
        assert set_keep_days(study, None), "longer than students were told"
        assert keep_days(study) is None


def test_each_teacher_keeps_the_dialogues_of_her_own_class_as_long_as_she_says(place: str) -> None:
    with open_study(place, create=True) as opened:
        study = opened.study
        early = add_account(study, "early", "student", PASSWORD)
        li, wu = (add_account(study, name, "teacher", PASSWORD).id for name in ("Ms Li", "Mr Wu"))
        kiwi = add_account(study, "kiwi", "student", PASSWORD, made_by=wu)
        assert (teacher_of(study, early), teacher_of(study, kiwi)) == (li, wu)
        assert not set_keep_days(study, 30)
        for pupil in (early.id, kiwi.id):
            consent(study, pupil, "30 days")
        assert not set_keep_days(study, 5, li)
        assert [keep_days(study, one) for one in ("", li, wu)] == [30, 5, 30]
        assert set_keep_days(study, 90, wu)
        assert [has_consented(study, one.id) for one in (early, kiwi)] == [True, False], "only hers are asked again"
        assert set_keep_days(study, None, li)
        assert [keep_days(study, one) for one in ("", li, wu)] == [30, None, 90]
        assert not set_keep_days(study, None), "no class has it from there any more"
        assert not set_keep_days(study, 7)
        assert not set_keep_days(study, 7, wu)
        assert set_keep_days(study, 8), "she keeps it as all do, and goes on with them"
        assert [keep_days(study, one) for one in ("", li, wu)] == [8, None, 8]


def test_a_dialogue_with_a_call_for_help_stays_until_somebody_has_seen_to_it(place: str) -> None:
    with open_study(place, create=True) as opened:
        study = opened.study
        teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
        kiwi = add_account(study, "kiwi", "student", PASSWORD, made_by=teacher.id).id
        work = add_assignment(study, "Week 1", "{}", [kiwi], teacher.id)
        begin_talk(opened, GroupSpec(setup(people=["kiwi"]), 1), "a", of=TalkRow("a", kiwi, work.id, STEPS))
        add_alert(study, alert_at("a", (0, 0), "kiwi", "he hits me"))
        ever = [Term((kiwi,), "9999")]
        assert take_out_old(study, ever) == Old([], (), 0, 0, (kiwi,))
        [alert] = all_alerts(study)
        settle_alert(study, alert.id, "seen", "Ms Li")
        assert take_out_old(study, ever) == Old(["a"], (kiwi,), 1, 0, ())
        assert all_alerts(study) == []
