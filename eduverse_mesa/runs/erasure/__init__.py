"""A participant's right to be forgotten, and to know what is kept: erase, with a proof, and hand out."""

from eduverse_mesa.runs.erasure.participant import BEYOND, Erasure, Found, Searched, erase_participant
from eduverse_mesa.runs.erasure.personal_data import participant_document

__all__ = ["BEYOND", "Erasure", "Found", "Searched", "erase_participant", "participant_document"]
