"""Tutors that nobody should have, and one that asks in words of its own."""

from __future__ import annotations

import sys
from typing import Any

from eduverse_mesa.policies.tutors import END

History = list[dict[str, str]]


def telling(history: History, task: dict[str, Any]) -> str:
    """Tells the idea, again and again, never asks, and chatters to the terminal."""
    sys.stdout.write("I am teaching!\n")
    return f"Listen: {task['idea']}" if len(history) < 8 else f"That was it. {END}"


def silent(history: History) -> str:
    """Says nothing."""
    del history
    return ""


def tongue_tied(history: History) -> str:
    """Says one thing, and then nothing."""
    return "" if len(history) > 1 else "Hello!"


def crashing(history: History) -> str:
    """Falls over in its second turn."""
    if len(history) > 1:
        raise ZeroDivisionError("the slope of a flat line")
    return "Hello!"


def asking(history: History, task: dict[str, Any]) -> str:
    """Asks one question after the other, hints where nothing comes, and tells the idea at the end."""
    turn = (len(history) - 1) // 2
    if turn >= task["turns_left"] + turn or turn > 2 * len(task["questions"]):
        return f"So: {task['idea']} {END}"
    question = task["questions"][(turn // 2) % len(task["questions"])]
    return f"{task['hint']} So, {question}" if turn % 2 else question


def doubting(history: History, task: dict[str, Any]) -> str:
    """Asks one question, and then only whether one is sure."""
    return task["questions"][0] if len(history) < 2 else "Are you sure?"


def leading(history: History, task: dict[str, Any]) -> str:
    """Puts the whole idea into each of its questions, so that nothing seems to be told."""
    question = task["questions"][len(history) // 2 % len(task["questions"])]
    return f"Isn't it so that {task['idea'].rstrip('.')}? {question}"
