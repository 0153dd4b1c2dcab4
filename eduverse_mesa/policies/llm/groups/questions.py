"""Questions in words to peers and whoever leads a group, and the meaning of the answers: a pair of functions for each.

A peer's answer names parts of the peer's own work; the values that go with them are put in here. So whatever a model
writes, its meaning follows from the peer's schema (MathVC, section 3.2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from eduverse_mesa.decisions import Decision
from eduverse_mesa.decisions.groups import (
    CONCERNS,
    SERIOUS,
    SORROWS,
    Chat,
    Chatted,
    Claim,
    Intend,
    Intended,
    Invite,
    Invited,
    Meaning,
    Message,
    PeerView,
    Revise,
    Revised,
    SeeStage,
    StageSeen,
    Understand,
    Understood,
    Utter,
    Uttered,
)
from eduverse_mesa.decisions.groups import Message as Line
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.groups import EmbeddedCollaborationPolicy
from eduverse_mesa.policies.embedded.groups.gentleness import HARM, in_trouble
from eduverse_mesa.policies.embedded.groups.interpretation import understand
from eduverse_mesa.policies.llm.answer import Asker, Question, Told
from eduverse_mesa.policies.llm.groups.speech import hold, hold_chat
from eduverse_mesa.policies.llm.prompter import TaskPrompter, spoken_in
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Shape, Words, YesNo
from eduverse_mesa.policies.safe_text import quote

NONE = "none"
CHOICE = "choice"
_STANCES = (NONE, "agrees", "disagrees")
_LONGEST = 240
_MUCH, _SOME = 0.75, 0.25
"""Shares of help left from which a peer is told to help much, or now and then; below, only when asked."""


class GroupPrompter(TaskPrompter):
    """Prompter for peers and whoever leads a group, with the blocks that their questions share."""

    def __init__(self, templates: Templates, *, brief: bool, told_of_harm: bool = False) -> None:
        super().__init__(templates, brief=brief)
        self._kept = tuple(matter for matter in SERIOUS if matter != HARM or not told_of_harm)

    def of_peer(self, view: PeerView) -> tuple[str, list[str]]:
        """Return the rules for a peer, and the peer's description with his or her own work."""
        words = self.words
        rules = self.templates.fill("rules_peer", {"grade": str(view.sheet.grade), "language": words["language"]})
        blocks = {
            "person": words["person"].format(name=quote(view.name, 80)),
            "style": words["style"].format(text=quote(view.style)) if view.style else "",
            "skill": words["skill"][view.skill],
            "statement": quote(view.sheet.statement, 4000),
            "work": "\n".join(self.part(view, place) for place in range(len(view.work))),
            "verdicts": "\n".join(
                words["verdict"]["right" if one.right else "wrong"].format(option=one.option, why=one.why)
                for one in view.verdicts
            ),
            "belief": words["belief"].format(thinks=view.belief.thinks) if view.belief is not None else "",
            "cues": self._cues(view),
            "help": words["help"][_help_left(view.fading)],
        }
        return rules, [self.templates.fill("peer", blocks)]

    def part(self, view: PeerView, place: int) -> str:
        """Return one subtask as the peer has worked it out."""
        work, task = view.work[place], view.sheet.tasks[place]
        form = self.words["part" if work.how and not work.omitted else "part_bare"]
        told: str = form.format(variable=work.variable, phrase=task.phrase, how=work.how, shown=work.shown)
        return told

    def subject(self, view: PeerView, place: int) -> str:
        """Return one subtask as everybody knows it, without its result."""
        return view.sheet.tasks[place].phrase

    def _cues(self, view: PeerView) -> str:
        if not view.cues:
            return ""
        told = [
            self.words["cue"].format(
                id=one.id, variable=one.variable or CHOICE, wrong=one.wrong or ", ".join(one.chosen), says=one.says
            )
            for one in view.cues
        ]
        return "\n".join([self.words["cues"], *told])

    def of_host(self) -> tuple[str, list[str]]:
        """The rules for whoever leads the group."""
        return self.templates.fill("rules_host", {}), []

    def dialogue(self, said: Sequence[Line]) -> str:
        """A dialogue, each line quoted; what is private goes to no model, and what tells of harm only where it may."""
        texts = ("…" if one.meaning.matter in self._kept else one.text for one in said)
        lines = [
            self.words["line"].format(speaker=quote(one.speaker, 80), text=quote(text))
            for one, text in zip(said, texts, strict=True)
        ]
        return "\n".join(lines) or str(self.words["nothing_said"])


def _help_left(fading: float) -> str:
    """Return how much a peer still helps unasked, as the word that the prompts use for it."""
    return "much" if fading >= _MUCH else "some" if fading >= _SOME else "asked"


def _differing(view: PeerView) -> list[tuple[str, str, str]]:
    """Return the values that others hold and this peer does not, each with who holds it and what it is about."""
    mine = {one.variable: one.value for one in view.work}
    picks = {one.option for one in view.verdicts if one.right}
    found = [
        (one.speaker, one.variable, one.value)
        for one in view.minutes.stated
        if one.speaker != view.name
        and one.variable in mine
        and not view.sheet.alike(one.variable, one.value, mine[one.variable])
    ]
    return found + [
        (name, CHOICE, ",".join(chosen))
        for name, chosen in view.minutes.chosen
        if name != view.name and view.verdicts and set(chosen) != picks
    ]


def _heard(view: PeerView) -> tuple[str, ...]:
    """The others who have said something: only they can have shown one what is wrong."""
    return tuple(dict.fromkeys(one.speaker for one in view.dialogue if one.speaker != view.name))


def ask_revise(prompter: GroupPrompter, decision: Revise) -> Question:
    """Has what was said changed what you think?"""
    view, words = decision.view, prompter.words
    differing = _differing(view)
    told = [
        words["differing_choice" if about == CHOICE else "differing"].format(
            number=number, speaker=quote(name, 80), variable=about, value=value
        )
        for number, (name, about, value) in enumerate(differing, start=1)
    ]
    blocks = {
        "dialogue": prompter.dialogue(view.dialogue),
        "differing": "\n".join(told) or words["nothing_differs"],
    }
    fields: dict[str, Shape] = {
        "accept": Number(0, len(differing)),
        "understood": OneOf((*_heard(view), words["nobody"])),
        "reason": Words(_LONGEST, optional=True),
    }
    return prompter.question("revise", decision.at, *prompter.of_peer(view), fields, blocks, view.language)


def read_revise(value: Mapping[str, Any], decision: Revise) -> Revised:
    """Return the values taken over from others; the peer's own mistake is seen through only if there is one."""
    view = decision.view
    reason = value["reason"]
    if view.belief is not None and value["understood"] in _heard(view):
        return Revised(understood=view.belief.id, reason=reason, by=value["understood"])
    if not value["accept"]:
        return Revised()
    name, about, held = _differing(view)[value["accept"] - 1]
    if about == CHOICE:
        return Revised(chosen=tuple(held.split(",")), reason=reason, by=name)
    return Revised(changes={about: held}, reason=reason, by=name)


def ask_intend(prompter: GroupPrompter, decision: Intend) -> Question:
    """Return the question of what a peer wants to do with the next words."""
    view, words = decision.view, prompter.words
    others = tuple(name for name in view.members if name != view.name)
    topics = (*(one.variable for one in view.work), *((CHOICE,) if view.verdicts else ()), NONE)
    reason = decision.revision.reason
    blocks = {
        "dialogue": prompter.dialogue(view.dialogue),
        "stage": words["stages"][view.stage],
        "roles": " ".join(
            words["role"].format(name=quote(name, 80), variable=task) for task, name in view.minutes.roles
        ),
        "stated": " ".join(
            words["stated"].format(speaker=quote(one.speaker, 80), variable=one.variable, value=one.value)
            for one in view.minutes.stated
        ),
        "revision": words["changed"].format(reason=quote(reason)) if reason else "",
    }
    fields: dict[str, Shape] = {
        "act": OneOf(decision.acts),
        "topic": OneOf(topics),
        **{name: YesNo() for name in ("states", "plans", "takes", "chooses")},
        "stance": OneOf(_STANCES),
        "asks": YesNo(),
        "calls": OneOf((*others, words["nobody"])),
        "against": OneOf((*dict.fromkeys(one.id for one in view.cues), NONE)),
        "intent": Words(_LONGEST),
    }
    return prompter.question("intend", decision.at, *prompter.of_peer(view), fields, blocks, view.language)


def read_intend(value: Mapping[str, Any], decision: Intend) -> Intended:
    """The act, with the values of the peer's own work."""
    view = decision.view
    topic = "" if value["topic"] == NONE else value["topic"]
    work = next((one for one in view.work if one.variable == topic), None)
    picks = tuple(one.option for one in view.verdicts if one.right)
    states = value["states"] and work is not None and view.stage in ("execute", "validate")
    chooses = value["chooses"] and view.stage in ("execute", "validate")
    meaning = Meaning(
        act=value["act"],
        addressed=value["calls"] if value["calls"] in view.members else "",
        topic=topic,
        claims=(Claim(work.variable, work.value),) if states and work is not None else (),
        stance="" if value["stance"] == NONE else value["stance"],
        asks=value["asks"],
        cues=() if value["against"] == NONE else (value["against"],),
        options=tuple(one.option for one in view.verdicts) if topic == CHOICE else picks if chooses else (),
        chosen=picks if chooses else (),
        takes=(topic,) if value["takes"] and work is not None else (),
        plans=((topic, work.how),) if value["plans"] and work is not None else (),
    )
    return Intended(meaning, "", value["intent"])


def ask_utter(prompter: GroupPrompter, decision: Utter) -> Question:
    """Return the request to say what the peer intends."""
    view, words, meaning = decision.view, prompter.words, decision.intended.meaning
    place = next((place for place, one in enumerate(view.work) if one.variable == meaning.topic), None)
    blocks = {
        "dialogue": prompter.dialogue(view.dialogue),
        "intent": quote(decision.intended.intent),
        "about": words["about"].format(text=prompter.subject(view, place)) if place is not None else "",
        "says": "\n".join(_to_say(prompter, view, meaning)),
        "calling": words["calling"].format(name=quote(meaning.addressed, 80)) if meaning.addressed else "",
    }
    fields: dict[str, Shape] = {"words": Words(_LONGEST)}
    return prompter.question("utter", decision.at, *prompter.of_peer(view), fields, blocks, view.language)


def _to_say(prompter: GroupPrompter, view: PeerView, meaning: Meaning) -> list[str]:
    """Return the parts that have to stand in the words, or the note that no result may."""
    words, shown = prompter.words, {one.variable: one.shown for one in view.work}
    phrases = {one.variable: task.phrase for one, task in zip(view.work, view.sheet.tasks, strict=True)}
    told = [
        words["says"].format(phrase=phrases.get(claim.about, claim.about), shown=shown.get(claim.about, claim.value))
        for claim in meaning.claims
    ]
    if meaning.chosen:
        told.append(words["says_choice"].format(options=", ".join(meaning.chosen)))
    told += [words["says_how"].format(phrase=phrases.get(name, name), how=how) for name, how in meaning.plans if how]
    return told or [words["says_nothing"]]


def read_utter(value: Mapping[str, Any], decision: Utter) -> Uttered:
    """The words, where they say what is meant."""
    return Uttered(hold(value["words"], decision.view, decision.intended.meaning, decision.at))


def ask_understand(prompter: GroupPrompter, decision: Understand) -> Question:
    """Return the question of what a message does."""
    words, sheet = prompter.words, decision.sheet
    others = tuple(name for name in decision.members if name != decision.speaker)
    blocks = {
        "statement": quote(sheet.statement, 4000),
        "parts": "\n".join(words["task"].format(variable=one.variable, phrase=one.phrase) for one in sheet.tasks),
        "dialogue": prompter.dialogue(decision.dialogue),
        "message": words["line"].format(speaker=quote(decision.speaker, 80), text=quote(decision.text, 2000)),
    }
    fields: dict[str, Shape] = {
        "stance": OneOf(_STANCES),
        **{name: YesNo() for name in ("asks", "lost", "off_topic", "clear")},
        "calls": OneOf((*others, words["nobody"])),
        "topic": OneOf((*(one.variable for one in sheet.tasks), NONE)),
    }
    return prompter.question("understand", decision.at, *prompter.of_host(), fields, blocks, decision.language)


def read_understand(value: Mapping[str, Any], decision: Understand) -> Understood:
    """Return the meaning that the model understood, with the numbers and choices that rules read, since rules read them
    exactly."""
    read = understand(decision).meaning
    named = read.topic if read.claims or read.options else ""
    meaning = msgspec.structs.replace(
        read,
        stance="" if value["stance"] == NONE else value["stance"],
        asks=value["asks"],
        lost=value["lost"],
        off_topic=value["off_topic"],
        clear=value["clear"] or bool(read.claims or read.options),
        addressed=value["calls"] if value["calls"] in decision.members else "",
        topic=named or ("" if value["topic"] == NONE else value["topic"]),
    )
    return Understood(meaning)


def ask_stage(prompter: GroupPrompter, decision: SeeStage) -> Question:
    """Is the stage finished?"""
    blocks = {
        "statement": quote(decision.sheet.statement, 4000),
        "dialogue": prompter.dialogue(decision.dialogue),
        "stage": prompter.words["stages"][decision.stage],
        "criterion": prompter.words["criteria"][decision.stage],
    }
    fields: dict[str, Shape] = {"reason": Words(_LONGEST), "finished": YesNo()}
    return prompter.question("see_stage", decision.at, *prompter.of_host(), fields, blocks, decision.language)


def read_stage(value: Mapping[str, Any], _: SeeStage) -> StageSeen:
    """Finished or not."""
    return StageSeen(value["finished"], value["reason"])


def ask_invite(prompter: GroupPrompter, decision: Invite) -> Question:
    """Return the question of who may write next."""
    members = (*decision.people, *decision.peers)
    people = ", ".join(quote(name, 80) for name in decision.people) or prompter.words["nobody"]
    names = ", ".join(quote(name, 80) for name in members)
    blocks = {
        "dialogue": prompter.dialogue(decision.dialogue),
        "people": prompter.words["members"].format(names=names, people=people),
    }
    fields: dict[str, Shape] = {"names": Many(OneOf(members), 1, len(members))}
    return prompter.question("invite", decision.at, *prompter.of_host(), fields, blocks, decision.language)


def read_invite(value: Mapping[str, Any], _: Invite) -> Invited:
    """The members."""
    return Invited(tuple(dict.fromkeys(value["names"])))


def ask_chat(prompter: GroupPrompter, decision: Chat) -> Question:
    """Return the question of what a peer writes in the chat."""
    view = decision.view
    fields: dict[str, Shape] = {"words": Words(1200), "answers": YesNo(), "done": YesNo()}
    blocks = {"dialogue": prompter.dialogue(view.dialogue)}
    return prompter.question("chat", decision.at, *prompter.of_peer(view), fields, blocks, view.language)


def read_chat(value: Mapping[str, Any], decision: Chat) -> Chatted:
    """The words, which name only the peer's own results, and the answer where they give it."""
    view = decision.view
    picks = tuple(one.option for one in view.verdicts if one.right)
    goals = tuple(Claim(one.variable, one.value) for one in view.work if one.variable in view.sheet.goals)
    meaning = Meaning()
    if value["answers"]:
        meaning = Meaning(claims=goals, chosen=picks, options=picks)
    hold_chat(value["words"], view, meaning, decision.at)
    return Chatted(value["words"], meaning, value["done"])


Asking = tuple[Callable[[GroupPrompter, Any], Question], Callable[[Mapping[str, Any], Any], Any]]
QUESTIONS: Mapping[type, Asking] = {
    Understand: (ask_understand, read_understand),
    SeeStage: (ask_stage, read_stage),
    Invite: (ask_invite, read_invite),
    Revise: (ask_revise, read_revise),
    Intend: (ask_intend, read_intend),
    Utter: (ask_utter, read_utter),
    Chat: (ask_chat, read_chat),
}


BOOK = Book("eduverse_mesa.policies.llm.groups.prompts")


class CollaborationTelling:
    """Asks a model what peers and whoever leads a group think and say. `told_of_harm`: it may read a dialogue in which
    somebody has told of harm."""

    def __init__(
        self, asker: Asker, own: Mapping[str, str], *, brief: bool = False, told_of_harm: bool = False
    ) -> None:
        check_templates(own, BOOK)  # now, not when the first question is asked
        self._asker = asker
        self._own = own
        self._brief = brief
        self._told_of_harm = told_of_harm
        self._prompters: dict[str, GroupPrompter] = {}
        self._rules = EmbeddedCollaborationPolicy()

    async def tell(self, decision: Decision) -> Told:
        """The outcome of a decision; raises UnansweredError."""
        asking = QUESTIONS.get(type(decision))
        if asking is None:
            raise PolicyError(
                f"a group's model is not asked '{decision.kind}'.", mend="Use this policy with a GroupModel."
            )
        if _is_answered_here(decision) or (_tells_of_harm(decision) and not self._told_of_harm):
            return Told(self._rules.answer([decision])[0].outcome)
        ask, read = asking
        prompter = self._in(spoken_in(decision))
        return await self._asker.ask(ask(prompter, decision), prompter.templates, lambda value: read(value, decision))

    def _in(self, language: str) -> GroupPrompter:
        """Prompts in a language; English ones where there are none in it."""
        code = prompt_language(language)
        code = code if code in BOOK.languages else BOOK.languages[0]
        if code not in self._prompters:
            self._prompters[code] = GroupPrompter(
                Templates(code, self._own, BOOK), brief=self._brief, told_of_harm=self._told_of_harm
            )
        return self._prompters[code]


_PEERS = Revise | Intend | Utter | Chat


def _is_answered_here(decision: Decision) -> bool:
    """Return whether no model may answer this: somebody has just told what is private, or has told of harm at any time
    and is spoken to gently from then on."""
    if isinstance(decision, Understand):
        return understand(decision).meaning.matter == "private"
    if not isinstance(decision, _PEERS):
        return False
    view = decision.view
    if not view.dialogue:
        return False
    last = view.dialogue[-1].meaning.matter
    return last in (*SERIOUS, *CONCERNS, *SORROWS) or bool(in_trouble(view.dialogue, view.people, view.cleared))


def _tells_of_harm(decision: Decision) -> bool:
    """Return whether somebody tells of harm here or has told of it before: what they say next may be about that, too,
    whatever the look-out makes of it."""
    if isinstance(decision, Understand):
        return _has_harm(decision.dialogue) or understand(decision).meaning.matter == HARM
    return isinstance(decision, SeeStage | Invite) and _has_harm(decision.dialogue)


def _has_harm(dialogue: Sequence[Message]) -> bool:
    return any(one.meaning.matter == HARM for one in dialogue)
