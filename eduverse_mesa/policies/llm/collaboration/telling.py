"""Every decision of a group is one question to the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eduverse_mesa.decisions import Decision
from eduverse_mesa.decisions.collaboration import Chat, Intend, Invite, Revise, SeeStage, Understand, Utter
from eduverse_mesa.decisions.meanings import CONCERNS, SERIOUS, SORROWS, Message
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.collaboration import EmbeddedCollaborationPolicy
from eduverse_mesa.policies.embedded.collaboration.gentleness import HARM, in_trouble
from eduverse_mesa.policies.embedded.collaboration.understanding import understand
from eduverse_mesa.policies.llm.asking import Asker, Told
from eduverse_mesa.policies.llm.collaboration.asking import QUESTIONS, GroupPrompter
from eduverse_mesa.policies.llm.prompts.templates import Book, Templates, check_templates, prompt_language
from eduverse_mesa.policies.llm.task_prompter import spoken_in

BOOK = Book(
    "eduverse_mesa.policies.llm.collaboration.prompts",
    {
        "rules_peer": ("grade", "language"),
        "rules_host": (),
        "peer": ("person", "style", "skill", "statement", "work", "verdicts", "belief", "cues", "help"),
        "revise": ("dialogue", "differing", "form"),
        "intend": ("dialogue", "stage", "roles", "stated", "revision", "form"),
        "utter": ("dialogue", "intent", "about", "says", "calling", "form"),
        "understand": ("statement", "parts", "dialogue", "message", "form"),
        "see_stage": ("statement", "dialogue", "stage", "criterion", "form"),
        "invite": ("dialogue", "people", "form"),
        "chat": ("dialogue", "form"),
        "reask": ("problem",),
    },
    ("en", "zh"),
)


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
                f"a group's model is not asked '{decision.kind}'.", mend="Use this policy with a CollaborationModel."
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
