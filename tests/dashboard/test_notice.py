"""Telling pages that something changed."""

from __future__ import annotations

import pytest

from eduverse_mesa.dashboard.notice import Notice


def test_whoever_listens_hears_until_it_stops_and_a_failing_page_disturbs_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notice, heard = Notice(), []

    def fail() -> None:
        raise RuntimeError("this page is broken")

    notice.listen(fail)
    stop = notice.listen(lambda: heard.append(notice.told))
    notice.tell()
    notice.tell("whatever the source says")
    stop()
    notice.tell()
    assert heard == [1, 2]
    assert notice.told == 3
    assert caplog.text.count("RuntimeError: this page is broken") == 3
