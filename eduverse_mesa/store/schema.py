"""The tables of a study, and how older studies are brought up to date."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Column, Connection, Float, ForeignKey, Integer, MetaData, String, Table, Text

VERSION = 1
"""Version of the schema; raise it with every change, and add the migration that leads to it."""

metadata = MetaData()

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("seed", String, nullable=False),  # text: a seed may be larger than a database's integers
    Column("scenario", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("changes", Text, nullable=False),
    Column("parent", String),
    Column("forked_lesson", Integer),
    Column("forked_step", Integer),
    Column("version", String, nullable=False),
    Column("status", String, nullable=False),
    Column("created", String, nullable=False),
)

lessons = Table(
    "lessons",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("steps", Integer, nullable=False),
    Column("ended", String, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("digest", String, nullable=False),
    sqlite_with_rowid=False,  # kept in the order of the key, once
)

answers = Table(
    "answers",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("round", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("source", String, nullable=False),
    Column("status", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("latency_ms", Float),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("cost", Float),
    sqlite_with_rowid=False,  # kept in the order of the key, once
)

student_memory = Table(
    "student_memory",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("lesson", Integer, nullable=False),
    Column("student", String, nullable=False),
    Column("event", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("step", Integer, nullable=False),
)

teacher_memory = Table(
    "teacher_memory",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=False, index=True),
    Column("lesson", Integer, nullable=False),
    Column("phase", String, nullable=False),
    Column("event", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("step", Integer, nullable=False),
)

summaries = Table(
    "summaries",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("student", String, primary_key=True),
    Column("record", Text, nullable=False),
)

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""From version N to N + 1, by N. Each runs in a transaction of its own."""
