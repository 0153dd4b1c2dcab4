"""No key of a language model gets into a scenario, whatever it is called and however deep it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.cli import main
from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.credentials import credential_in

SECRET = "SECRETabcdef1234"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ("{api_key: %s}", "api_key"),
        ("{token: %s}", "token"),
        ("{user: {password: %s}}", "user.password"),
        ("{provider: {authorization: %s}}", "provider.authorization"),
        ("{list: [{x: 1}, {secret: {a: [%s]}}]}", "list.secret.a"),
        ("{password: 12345678}", "password"),
        ("{note: sk-%s}", "note"),
        ("{note: Bearer %s}", "note"),
        ("{note: {deep: [hf_%s]}}", "note.deep"),
    ],
)
def test_what_may_be_a_key_is_refused_and_not_repeated(
    fields: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = fields.replace("%s", SECRET)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(settings={"llm.extra_body": given})
    assert f"'{place}' may hold a key" in str(caught.value)
    assert SECRET not in str(caught.value)
    file = tmp_path / "mine.yaml"
    file.write_text(f"kind: scenario\nsettings:\n  llm:\n    extra_body: {given}\n", encoding="utf-8")
    assert main(["validate", str(file)]) != 0
    said = capsys.readouterr()
    assert f"'{place}' may hold a key" in said.out + said.err
    assert SECRET not in said.out + said.err


@pytest.mark.parametrize(("name", "value"), [("Authorization", SECRET), ("X-Note", f"sk-{SECRET}")])
def test_a_header_that_holds_a_key_is_not_repeated(name: str, value: str) -> None:
    for settings in ({"llm.extra_headers": {name: value}}, {f"llm.extra_headers.{name}": value}):
        with pytest.raises(ScenarioError) as caught:
            load_scenario(settings=settings)
        assert "may hold a key" in str(caught.value)
        assert SECRET not in str(caught.value)


def test_what_servers_document_is_taken() -> None:
    fields = {
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "skip_special_tokens": False,
        "stop_token_ids": [1, 2],
        "prompt_cache_key": "class a",
        "chat_template_kwargs": {"enable_thinking": False},
        "logit_bias": {"50256": -100},
        "guided_choice": ["sk", "task-force-1"],
        "token": None,
    }
    assert credential_in(fields) == ""
    assert load_scenario(settings={"llm.extra_body": fields}).settings.llm.extra_body == fields
