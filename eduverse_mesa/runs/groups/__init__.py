"""Runs of groups that solve a problem: begun, recorded message by message, and built again from their log."""

from eduverse_mesa.runs.groups.dialogue import GroupSpec, Talk, UnkeptTalk, begin_talk, keep_talk, open_talk, read_talk

__all__ = ["GroupSpec", "Talk", "UnkeptTalk", "begin_talk", "keep_talk", "open_talk", "read_talk"]
