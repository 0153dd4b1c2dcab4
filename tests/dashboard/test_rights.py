"""Who may open what, and who may come back."""

from __future__ import annotations

from eduverse_mesa.dashboard.sessions import Rights


def test_who_came_by_a_join_link_does_not_get_the_dashboard_by_leaving_its_seat() -> None:
    rights = Rights()
    rights.seat("pupil")
    assert not rights.is_researcher("pupil")
    assert not rights.may_return("pupil")


def test_a_researcher_who_tries_a_seat_may_come_back() -> None:
    rights = Rights()
    rights.welcome("mine")
    rights.seat("mine")
    assert not rights.is_researcher("mine")
    assert rights.may_return("mine")
    rights.unseat("mine")
    assert rights.is_researcher("mine")


def test_with_a_token_only_who_has_shown_it_may_come_back() -> None:
    rights = Rights("a token of some length")
    for browser in ("with", "without"):
        rights.welcome(browser)
        rights.seat(browser)
    rights.admit("with")
    assert rights.may_return("with")
    assert not rights.may_return("without")
