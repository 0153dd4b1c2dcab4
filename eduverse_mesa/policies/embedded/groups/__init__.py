"""The embedded policy of peers who solve a problem together: rules over what they work out, with no model server."""

from eduverse_mesa.policies.embedded.groups.policy import EmbeddedCollaborationPolicy

__all__ = ["EmbeddedCollaborationPolicy"]
