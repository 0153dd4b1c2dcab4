"""The embedded policy of learners, tutors and judges: rules and equations, with no model server."""

from eduverse_mesa.policies.embedded.tutoring.policy import EmbeddedTutoringPolicy

__all__ = ["EmbeddedTutoringPolicy"]
