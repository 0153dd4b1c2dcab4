"""Memory: the shared state of one lesson, and what is carried from lesson to lesson."""
