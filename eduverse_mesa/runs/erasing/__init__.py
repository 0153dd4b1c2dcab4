"""A participant's right to be forgotten, and to know what is kept: erase, with a proof, and hand out."""

from eduverse_mesa.runs.erasing.erasure import BEYOND, Erasure, erase_participant
from eduverse_mesa.runs.erasing.handing_out import participant_document
from eduverse_mesa.runs.erasing.proof import Found, Searched

__all__ = ["BEYOND", "Erasure", "Found", "Searched", "erase_participant", "participant_document"]
