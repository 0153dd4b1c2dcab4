"""A problem tried: how it works out, where each mistake leads, and what peers would say, before any pupil hears it."""

from __future__ import annotations

from starlette.responses import Response

from eduverse_mesa.models.collaboration import CollaborationModel
from eduverse_mesa.scenarios.collaboration import Collaboration, default_peers
from eduverse_mesa.scenarios.gathering import load_collaboration
from eduverse_mesa.scenarios.word_problem import WordProblem
from eduverse_mesa.visualization.mathematics.asking import Ask
from eduverse_mesa.visualization.mathematics.markup import Markup, initial, join, tag
from eduverse_mesa.visualization.mathematics.teacher.outcomes import mistakes, solution
from eduverse_mesa.visualization.mathematics.teacher.parts import choice, navigation
from eduverse_mesa.visualization.mathematics.teacher.rights import my_problems
from eduverse_mesa.visualization.mathematics.typesetting import math

_SEEDS = 1000


def try_page(ask: Ask, problem: WordProblem, document: str, own: str) -> Response:
    """The page. Nothing of it is kept."""
    mistake, seed = _wanted(ask, problem)
    model = CollaborationModel(_group(problem, mistake), seed=seed).run()
    return ask.page(
        ask.teach("try_title", title=problem.title or problem.name),
        navigation(ask),
        tag("section", tag("p", math(problem.statement)), tag("p", tag("b", math(problem.question))), class_="ev-card"),
        tag("section", tag("h2", ask.teach("works_out")), solution(ask, problem), class_="ev-card"),
        tag("section", tag("h2", ask.teach("where_mistakes_lead")), mistakes(ask, problem), class_="ev-card"),
        tag(
            "section",
            tag("h2", ask.teach("heard")),
            tag("p", ask.teach("heard_why"), class_="ev-quiet"),
            _again(ask, problem, document, own, mistake, seed),
            _dialogue(ask, model),
            class_="ev-card",
            id="heard",
        ),
    )


def _wanted(ask: Ask, problem: WordProblem) -> tuple[str, int]:
    known = [one.id for one in problem.misconceptions]
    mistake = ask.one("mistake") if ask.one("mistake") in known else known[0]
    seed = ask.one("seed")
    return mistake, int(seed) % _SEEDS if seed.isascii() and seed.isdecimal() and len(seed) < 9 else 1


def _group(problem: WordProblem, mistake: str) -> Collaboration:
    """The usual peers: the one of limited skill begins with this mistake."""
    whole = load_collaboration()
    usual = default_peers(problem.language)
    first = next(peer for peer in usual if peer.skill == "limited")
    peers = tuple(peer.model_copy(update={"misconception": mistake}) if peer is first else peer for peer in usual)
    return whole.model_copy(update={"problems": (problem,), "peers": peers, "seats": ()})


def _again(ask: Ask, problem: WordProblem, document: str, own: str, mistake: str, seed: int) -> Markup:
    ways = [(one.id, f"{one.thinks[:80]}") for one in problem.misconceptions]
    return ask.form_tag(
        "/problems/edit#heard",
        tag("input", type="hidden", name="document", value=document),
        tag("input", type="hidden", name="own", value=own),
        tag("input", type="hidden", name="seed", value=seed + 1),
        tag("label", ask.teach("begins_with"), choice("mistake", ways, mistake)),
        tag(
            "div",
            tag("button", ask.teach("play_another"), name="do", value="try"),
            tag("button", ask.teach("to_editor"), name="do", value="form", class_="ev-second"),
            class_="ev-doings",
        ),
        class_="ev-form",
        data_careful=careful(ask, document),
    )


def careful(ask: Ask, document: str) -> str:
    """Of a form with a problem in it: whether something that came with a form is kept nowhere yet (`page.js`)."""
    kept = not ask.is_form or any(row.document == document for row in my_problems(ask))
    return "kept" if kept else "changed"


def _dialogue(ask: Ask, model: CollaborationModel) -> Markup:
    parts: list[object] = []
    stage = ""
    for row in model.journal.messages:
        if row.stage != stage:
            stage = row.stage
            parts.append(tag("li", ask.say(f"stage.{stage}"), class_="ev-mark"))
        who = model.names_of_peers.index(row.speaker) % 3
        said = tag("b", row.speaker), tag("p", math(row.text))
        parts.append(tag("li", *said, class_=f"is-peer-{who}", data_initial=initial(row.speaker)))
    end = ask.teach("solved_in", n=model.turn) if model.solved else ask.teach("not_solved_in", n=model.turn)
    return join([tag("ol", *parts, class_="ev-said ev-whole"), tag("p", end, role="status")])
