"""A problem that is solved together, in stages, by peers and people (MathVC)."""
