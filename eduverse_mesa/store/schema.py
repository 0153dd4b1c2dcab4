"""The tables of a study. Every change here needs a migration (migrations.py)."""

from __future__ import annotations

from typing import Any, get_args

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from eduverse_mesa.store.rows import ParticipantState, Role, RunKind, RunStatus, Verdict

metadata = MetaData()

STATUSES = ("ok", "repaired", "fallback", "failed")
"""Ways in which an answer may have come."""


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} in ({', '.join(repr(value) for value in values)})", name=f"known_{column}")


def _run(**options: Any) -> Column[str]:
    return Column("run", ForeignKey("runs.id"), **options)


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
    Column("parent", ForeignKey("runs.id")),
    Column("forked_lesson", Integer),
    Column("forked_step", Integer),
    Column("version", String, nullable=False),
    Column("status", String, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
    Column("spent", Text, nullable=False, server_default=""),
    Column("title", Text, nullable=False, server_default=""),
    Column("planned", Integer, nullable=False, server_default=text("0")),
    Column("kind", String, nullable=False, server_default="course"),
    Column("rules", Integer, nullable=False, server_default=text("0")),
    _one_of("status", get_args(RunStatus)),
    _one_of("kind", get_args(RunKind)),
)

lessons = Table(
    "lessons",
    metadata,
    _run(primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("status", String, nullable=False),
    Column("steps", Integer, nullable=False),  # committed so far
    Column("started", String, nullable=False),
    Column("ended", String),
    # What a list of runs says of each, so that it need not count the answers of all.
    Column("updated", Text, nullable=False, server_default=""),
    *(Column(status, Integer, nullable=False, server_default=text("0")) for status in STATUSES),
    _one_of("status", ("running", "complete")),
)

steps = Table(
    "steps",
    metadata,
    _run(primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("digest", String, nullable=False),
    sqlite_with_rowid=False,  # kept in the order of the key, once
)

answers = Table(
    "answers",
    metadata,
    _run(primary_key=True),
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
    Column("tokens_cached", Integer),
    Column("calls", Integer),
    Column("model", Text),
    _one_of("status", STATUSES),
    sqlite_with_rowid=False,  # kept in the order of the key, once
)

student_memory = Table(
    "student_memory",
    metadata,
    Column("number", Integer, primary_key=True),
    _run(nullable=False, index=True),
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
    _run(nullable=False, index=True),
    Column("lesson", Integer, nullable=False),
    Column("phase", String, nullable=False),
    Column("event", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("step", Integer, nullable=False),
)

# What a lesson has left of each student; of memory, the lesson's own part. Up to format 6 it was all of it.
summaries = Table(
    "summaries",
    metadata,
    _run(primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("student", String, primary_key=True),
    Column("record", Text, nullable=False),
)

# People who took part, by what they are called here; an erased one stays as a number, so that none is given twice.
participants = Table(
    "participants",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("label", Text, nullable=False),
    Column("role", String, nullable=False),
    Column("state", String, nullable=False),
    Column("created", String, nullable=False),
    _one_of("role", get_args(Role)),
    _one_of("state", get_args(ParticipantState)),
)

sittings = Table(
    "sittings",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("participant", ForeignKey("participants.id"), nullable=False, index=True),
    _run(nullable=False, index=True),
    Column("agent", String, nullable=False),
    Column("from_lesson", Integer, nullable=False),
    Column("from_step", Integer, nullable=False),
    Column("to_lesson", Integer),  # without it the person still sits there
    Column("to_step", Integer),
    Column("reason", Text, nullable=False, server_default=""),  # why it ended, where the person did not get up
)

# --- students and teachers who log in ---

accounts = Table(
    "accounts",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),  # drawn, so that nobody can guess another's
    Column("name", String, nullable=False, unique=True),
    Column("role", String, nullable=False),
    Column("password", String, nullable=False),  # its Argon2 hash
    Column("language", String, nullable=False),
    Column("made_by", ForeignKey("accounts.id")),
    Column("created", String, nullable=False),
    _one_of("role", get_args(Role)),
)


def _account(name: str = "account", **options: Any) -> Column[str]:
    return Column(name, ForeignKey("accounts.id"), **options)


# A login is known by a token that only the browser has; here is its hash.
logins = Table(
    "logins",
    metadata,
    Column("token", String, primary_key=True),
    _account(nullable=False, index=True),
    Column("began", Float, nullable=False),
    Column("seen", Float, nullable=False),
)

# Names and addresses from which wrong passwords came, hashed: nothing here says who lives where.
refusals = Table(
    "refusals",
    metadata,
    Column("key", String, primary_key=True),
    Column("tries", Integer, nullable=False),
    Column("last", Float, nullable=False),
)

account_groups = Table(
    "account_groups",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    _account("made_by", nullable=False),
    Column("created", String, nullable=False),
)

group_members = Table(
    "group_members",
    metadata,
    Column("of_group", ForeignKey("account_groups.id"), primary_key=True),
    _account(primary_key=True),
)

own_problems = Table(
    "own_problems",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("document", Text, nullable=False),
    _account("made_by", nullable=False),
    Column("updated", String, nullable=False),
)

assignments = Table(
    "assignments",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("title", String, nullable=False),
    Column("setup", Text, nullable=False),
    _account("made_by", nullable=False),
    Column("created", String, nullable=False),
)

assigned = Table(
    "assigned",
    metadata,
    Column("assignment", ForeignKey("assignments.id"), primary_key=True),
    _account(primary_key=True),
)

talks = Table(
    "talks",
    metadata,
    _run(primary_key=True),
    _account(nullable=False, index=True),
    Column("assignment", ForeignKey("assignments.id"), nullable=False),
    Column("problem", String, nullable=False),
    UniqueConstraint("account", "assignment", "problem"),
)

# What was said, step by step: with the answers it is all that a group's run is made of.
messages = Table(
    "messages",
    metadata,
    _run(primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("speaker", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("stage", String, nullable=False),
    Column("now", Float, nullable=False),
    Column("at", String, nullable=False),
    Column("key", String),
    UniqueConstraint("run", "key"),
    sqlite_with_rowid=False,
)

# What somebody typed that tells of harm, for whoever looks after them; in a lesson it stands nowhere else.
alerts = Table(
    "alerts",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    _run(nullable=False, index=True),
    Column("lesson", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    Column("speaker", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", String, nullable=False),
    Column("participant", ForeignKey("participants.id"), index=True),
    Column("verdict", String, nullable=False),
    Column("settled_by", String, nullable=False),
    Column("settled_at", String, nullable=False),
    Column("verdicts", Text, nullable=False, server_default="[]"),
    _one_of("verdict", get_args(Verdict)),
)

consents = Table(
    "consents",
    metadata,
    _account(primary_key=True),
    Column("wording", Text, nullable=False),
    Column("at", String, nullable=False),
)

surveys = Table(
    "surveys",
    metadata,
    _account(primary_key=True),
    Column("assignment", ForeignKey("assignments.id"), primary_key=True),
    Column("item", String, primary_key=True),
    Column("answer", Integer, nullable=False),
    Column("at", String, nullable=False),
    CheckConstraint("answer between 1 and 5", name="known_answer"),
)
