"""The embedded policy: equations and a grammar, no model server."""

from eduverse_mesa.policies.embedded.classroom.policy import EmbeddedPolicy

__all__ = ["EmbeddedPolicy"]
