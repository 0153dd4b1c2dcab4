"""A tutor behind a server that speaks the OpenAI protocol: POST {base_url}/chat/completions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.decisions.tutoring import Teach
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.background_loop import shared_loop
from eduverse_mesa.policies.llm.answer import Completing
from eduverse_mesa.policies.llm.calling import Ledger, billed_to
from eduverse_mesa.policies.llm.calls import Call, CallFailedError, Message, Sampling
from eduverse_mesa.policies.llm.connection import connect, make_ledger
from eduverse_mesa.policies.llm.setup import BASE_URL, MODEL, check_url, find_key, try_model
from eduverse_mesa.policies.tutors.brief import END, history_of, read_said, task_of
from eduverse_mesa.scenarios.scenario import Deadlines, LanguageModel

_PATH = "/chat/completions"
_ROLES = {"learner": "user", "tutor": "assistant"}
_TASK = """\
You teach one learner of grade {grade}, who is what children are: partly wrong, sometimes silent. What you say goes to \
the learner as it is: a few short sentences, in the language '{language}'. You have {turns} turns.
What is to be learned: {outcome}
The idea: {idea}
When you are done, end your last text with {end}"""


class EndpointTutor:
    """Answers `Teach` by a server. Its answers are never remembered: a tutor may have changed since last time."""

    def __init__(
        self, caller: Completing, model: str, *, sampling: Sampling | None = None, ledger: Ledger | None = None
    ) -> None:
        self.name = model
        self._caller = caller
        self._model = model
        self._sampling = sampling or Sampling()
        self.ledger = ledger or Ledger()
        """The usage of its server: a bill of its own, beside that of the models of learners and judge."""

    async def answer_async(self, decisions: Sequence[Decision]) -> list[Answer]:
        """Return the tutor's answer to each learner; all are asked at the same time."""
        with billed_to(self.ledger):
            return list(await asyncio.gather(*(shared_loop().join(self._ask(decision)) for decision in decisions)))

    async def _ask(self, decision: Decision) -> Answer:
        if not isinstance(decision, Teach):
            raise PolicyError(
                f"a tutor only teaches, and has no answer to {type(decision).__name__}.", mend="Use with_tutor()."
            )
        call = Call(self._model, messages_for(decision), self._sampling, replicate=_replicate(decision))
        try:
            completion = await self._caller.complete(call, self.ledger)
        except CallFailedError as error:
            return Answer.failed(self.name, error.reason, max(error.attempts, 0))
        if completion.finish == "refused":
            return Answer.failed(self.name, "it refused to answer")
        return read_said(completion.text, self.name)._replace(usage=completion.usage)


def messages_for(decision: Teach) -> tuple[Message, ...]:
    """The dialogue as a chat: the constant part comes first, so that a server can keep it."""
    task = task_of(decision)
    filled = _TASK.format(
        grade=task["grade"],
        language=task["language"],
        turns=decision.turns,
        outcome=task["outcome"],
        idea=task["idea"],
        end=END,
    )
    said = [Message(_ROLES[one["role"]], one["text"]) for one in history_of(decision)]  # type: ignore[arg-type]
    return (Message("system", filled), *said)


def connect_tutor(
    url: str,
    model: str | None = None,
    *,
    deadline: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> EndpointTutor:
    """A tutor behind an address, asked once to see that it is there. The key comes from the environment alone."""
    base_url = url.strip().rstrip("/").removesuffix(_PATH)
    check_url(base_url)
    env = {**(os.environ if environment is None else environment)}
    env[BASE_URL] = base_url  # who names an endpoint means the key for it
    waits = Deadlines() if deadline is None else Deadlines(connect=10, read=deadline, attempt=deadline, total=deadline)
    settings = LanguageModel(base_url=base_url, model=model or env.get(MODEL) or "tutor", deadlines=waits)
    patience = {} if deadline is None else {"patience": deadline}
    name = settings.model or ""
    ledger = make_ledger(settings.budget, {name})
    try_model("llm", settings, env, ledger=ledger, **patience)
    sampling = Sampling(settings.temperature, settings.top_p, settings.max_tokens, settings.frequency_penalty)
    caller = connect(settings, base_url, find_key(base_url, env), remember=False, whole=waits.total)
    return EndpointTutor(caller, name, sampling=sampling, ledger=ledger)


def _replicate(decision: Teach) -> int:
    """Learners who said the same are still different learners: no two of them share one answer."""
    at = decision.at
    key = f"{at.seed}\x1f{at.lesson}\x1f{at.step}\x1f{at.agent}\x1f{decision.learner}"
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "little") >> 1
