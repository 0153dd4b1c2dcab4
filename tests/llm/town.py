"""A small Mesa model whose agents ask: what the tests of asking share."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import mesa

from eduverse_mesa.llm import LLM, Response
from tests.policies.llm.fake_server import Behaviour, Exchange, completion


class Move(Enum):
    """Stay or go."""

    STAY = "stay"
    GO = "go"


class Resident(mesa.Agent):
    """Somebody who may move."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.place = int(model.random.random() * 100)

    def question(self) -> str:
        """The question."""
        return f"You live at number {self.place}, and you are resident {self.unique_id}. Do you stay or go?"

    def act(self, move: Move) -> None:
        """Do it; the luck is the model's."""
        if move is Move.GO:
            self.place = int(self.model.random.random() * 100)


class Town(mesa.Model):
    """Residents who decide at the same time."""

    def __init__(self, llm: LLM, residents: int = 6, rng: int = 1, **options: Any) -> None:
        super().__init__(rng=rng)
        self.llm = llm
        self.options = options
        self.history: list[list[int]] = []
        self.responses: list[Response[Resident, Move]] = []
        Resident.create_agents(self, residents)

    @property
    def residents(self) -> list[Any]:
        """All of them, in their order."""
        return list(self.agents)

    def step(self) -> None:
        """All are asked, then all act."""
        for response in self.llm.ask(self.agents, Resident.question, Move, **self.options):
            self.responses.append(response)
            if response.answered:
                response.agent.act(response.value)
        self.history.append([resident.place for resident in self.residents])


def played(llm: LLM, steps: int = 3, **options: Any) -> Town:
    """A town after some steps."""
    town = Town(llm, **options)
    for _ in range(steps):
        town.step()
    return town


def decides(choose: Callable[[Exchange], str | Behaviour]) -> Behaviour:
    """A server that holds its model to every form, and lets `choose` say what it answers to a question of ours."""

    async def behave(exchange: Exchange) -> None:
        if "tools" in exchange.body:  # of which it knows nothing
            await exchange.send(completion("I cannot look that up.", usage=(100, 10, 0)))
            return
        said = "quartz" if is_probe(exchange) else choose(exchange)
        if not isinstance(said, str):
            await said(exchange)
            return
        text = '{"answer": "quartz", "why": "so", "marks": []}' if is_probe(exchange) else said
        await exchange.send(completion(text, usage=(100, 10, 0)))

    return behave


def is_probe(exchange: Exchange) -> bool:
    """Whether it is asked what the server can do."""
    form = exchange.body.get("response_format", {}).get("json_schema", {})
    return bool(form.get("name") == "probe")


def by_number(exchange: Exchange) -> str:
    """Residents of odd numbers go."""
    asked = next(message["content"] for message in exchange.body["messages"] if message["role"] == "user")
    number = int(asked.split("number ")[1].split(",")[0])
    return '{"answer": "%s"}' % ("go" if number % 2 else "stay")
