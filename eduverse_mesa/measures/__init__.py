"""Measures: pure functions over tidy tables, the same for simulated and for real lessons."""

from eduverse_mesa.measures.bec import bec_shares, class_shares, student_stability
from eduverse_mesa.measures.equity import (
    gini,
    gini_speaking_turns,
    gini_teacher_attention,
    participation,
    participation_by_seat,
    seat_zones,
)
from eduverse_mesa.measures.evolution import class_means, evolution, gain, student_gains
from eduverse_mesa.measures.irf import (
    feedback_share,
    initiation_rate,
    irf_by_step,
    irf_measures,
    irf_rate,
    irf_rates,
    response_share,
)
from eduverse_mesa.measures.language import LANGUAGES, Language, detect_language
from eduverse_mesa.measures.networks import centralities, density, mean_degree, networks, peer_graph
from eduverse_mesa.measures.reference import REAL_CLASS_MEASURES, beside_reference, load_reference, measure_lessons
from eduverse_mesa.measures.run_measures import measure_run
from eduverse_mesa.measures.transcripts import read_transcript, read_transcripts
from eduverse_mesa.measures.turns import Lesson, Turn, floor_of, lesson_of, turns_of

__all__ = [
    "LANGUAGES",
    "REAL_CLASS_MEASURES",
    "Language",
    "Lesson",
    "Turn",
    "bec_shares",
    "beside_reference",
    "centralities",
    "class_means",
    "class_shares",
    "density",
    "detect_language",
    "evolution",
    "feedback_share",
    "floor_of",
    "gain",
    "gini",
    "gini_speaking_turns",
    "gini_teacher_attention",
    "initiation_rate",
    "irf_by_step",
    "irf_measures",
    "irf_rate",
    "irf_rates",
    "lesson_of",
    "load_reference",
    "mean_degree",
    "measure_lessons",
    "measure_run",
    "networks",
    "participation",
    "participation_by_seat",
    "peer_graph",
    "read_transcript",
    "read_transcripts",
    "response_share",
    "seat_zones",
    "student_gains",
    "student_stability",
    "turns_of",
]
