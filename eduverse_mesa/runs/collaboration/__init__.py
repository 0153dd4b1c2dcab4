"""Runs of groups that solve a problem: begun, recorded message by message, and built again from their log."""

from eduverse_mesa.runs.collaboration.spec import GroupSpec
from eduverse_mesa.runs.collaboration.talking import Talk, begin_talk, open_talk
from eduverse_mesa.runs.collaboration.unkept import UnkeptTalk, keep_talk, read_talk

__all__ = ["GroupSpec", "Talk", "UnkeptTalk", "begin_talk", "keep_talk", "open_talk", "read_talk"]
