"""Sweeps: a file that says what to vary, a folder that keeps what came of it, and engines that play it."""
