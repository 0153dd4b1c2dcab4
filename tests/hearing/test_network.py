"""The network: what it reads, and the model it is put together from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.hearing import network, vectors
from eduverse_mesa.hearing.network import (
    TOLD,
    changed,
    load_network,
    read_changes,
    steps_of,
    tensors_of,
    write_changes,
    written_of,
)
from eduverse_mesa.hearing.vectors import Nano, VectorsMissingError
from tests.hearing.kit import hear_line

pytestmark = pytest.mark.skipif(bool(vectors.why_missing()), reason="no sentence vectors on this machine")
SHIPPED = Path(network.__file__).with_name("weights") / "network.npz"


@given(text=st.text(max_size=600), before=st.lists(st.text(max_size=300), max_size=4))
def test_whatever_is_said_it_is_written_on_one_line_of_bounded_length(text: str, before: list[str]) -> None:
    written = written_of(hear_line(text, "peer", before=before, problem="race_fuel", on_table="fuel"))
    assert "\n" not in written
    assert len(written) < 1000
    assert written.count("# ") >= 1


def test_the_question_on_the_table_the_last_lines_and_the_words_are_read() -> None:
    said = [{"speaker": "Leo", "text": "one"}, {"speaker": "Mia", "text": "two"}, {"speaker": "Ms Hall", "text": "3"}]
    decision = hear_line("so it is 12?", "peer", before=said, speaker="Mia", problem="race_fuel", on_table="fuel")
    written = written_of(decision)
    assert written.startswith("# ")
    assert written.endswith("| A: two | T: 3 | » peer S: so it is 12?")
    assert "one" not in written.split("|")[1]


def test_the_same_words_are_told_the_same() -> None:
    decision = hear_line("no, that is not it", "learner", speaker="Tutor")
    told = load_network().read(decision)
    assert told.shape == (len(TOLD),)
    assert np.array_equal(told, network.Network(read_changes(SHIPPED)).read(decision))


def test_only_what_was_tuned_differs_from_the_model() -> None:
    changes = read_changes(SHIPPED)
    raw, made = np.fromfile(Nano.file(), dtype=np.uint8), changed(Nano.file(), changes)
    places = tensors_of(raw)
    assert raw.shape == made.shape
    moved = {name for name, place in places.items() if not np.array_equal(place.cut(raw), place.cut(made))}
    assert moved
    assert moved <= set(changes.tensors)
    name = next(name for name in sorted(moved) if places[name].in_four_bits)
    steps = steps_of(places[name].cut(made)) - steps_of(places[name].cut(raw))
    assert np.array_equal(steps, changes.tensors[name])


def test_another_model_is_refused(tmp_path: Path) -> None:
    changes = read_changes(SHIPPED)
    with pytest.raises(VectorsMissingError, match="another model"):
        changed(Nano.file(), changes._replace(base="0" * 16))
    (tmp_path / "other.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(VectorsMissingError, match="another form"):
        changed(tmp_path / "other.bin", changes)


def test_where_there_is_no_room_for_it_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    with pytest.raises(VectorsMissingError, match="No space left"):
        network.Network(read_changes(SHIPPED))


def test_changes_are_kept_and_read_again(tmp_path: Path) -> None:
    changes = read_changes(SHIPPED)
    write_changes(changes, tmp_path / "kept.npz")
    again = read_changes(tmp_path / "kept.npz")
    assert (again.base, again.data, sorted(again.tensors)) == (changes.base, changes.data, sorted(changes.tensors))
    assert np.array_equal(again.heads, changes.heads)
