"""Lessons as several pages have them: played, looked at, sat in, looked after, and the draft that one is made from."""
