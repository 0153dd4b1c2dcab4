"""A group as it is seen, under other names."""

from __future__ import annotations

from eduverse_mesa.visualization.frames.group import group_frame, under
from tests.models.groups import group


def test_another_name_is_put_for_words_and_for_no_part_of_them() -> None:
    model = group(people=["Al"])
    model.hear("Al", "hi Alice, also ask Al", 1.0)
    model.step()
    frame = under(group_frame(model, None), {"Al": "#ab12cd"})
    assert frame.said is not None
    assert (frame.said.speaker, frame.said.text) == ("#ab12cd", "hi Alice, also ask #ab12cd")
