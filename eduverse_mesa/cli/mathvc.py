"""`eduverse mathvc serve`, and the work on its study besides: import, new passwords, export, erase."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from eduverse_mesa.cli.frame import add
from eduverse_mesa.cli.groups import mathvc
from eduverse_mesa.cli.options import (
    AdultOptions,
    ModelOptions,
    refuse_unused,
    remember,
    taking,
)
from eduverse_mesa.cli.output import on_terminal
from eduverse_mesa.errors import EduverseError, StudyError

if TYPE_CHECKING:
    from eduverse_mesa.pupils.dialogues import Minds
    from eduverse_mesa.store import Role
    from eduverse_mesa.store import Study as Opened

__all__ = ["mathvc"]

_TABLES = (".csv", ".json", ".jsonl")

Study = Annotated[str, typer.Option(metavar="PATH", help="The study, a file or a database's URL.")]


@taking(AdultOptions, "adult")
@taking(ModelOptions, "llm", "fidelity", "delivery")
def serve(
    study: Study = "mathematics.study",
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for a whole school.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any that is free.")] = 8770,
    address: Annotated[
        str,
        typer.Option(
            metavar="URL", help="Where browsers find it behind a proxy, such as https://maths.school.example."
        ),
    ] = "",
    typing: Annotated[
        float, typer.Option(min=0, max=30, metavar="SECONDS", help="How long a peer is seen typing.")
    ] = 1.2,
    keep_days: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=3650,
            metavar="DAYS",
            help="Delete dialogues so many days after their last message; 0: keep them until they are erased. "
            "A teacher may set another time for her own classes. The study remembers it, and students are told.",
        ),
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", help="Who thinks for the peers: embedded, or e.g. peers=llm,rest=embedded.")
    ] = "embedded",
    *,
    llm: ModelOptions,
    told_of_harm: Annotated[
        bool,
        typer.Option(
            "--told-of-harm",
            help="Let the language model read on where a child has told of harm; otherwise it reads none of that.",
        ),
    ] = False,
    adult: AdultOptions,
) -> int:
    """Serve the pages for students and teachers until Ctrl-C. The first start makes a teacher's account."""
    from eduverse_mesa.pupils.server import serve as serve_pages
    from eduverse_mesa.store.dialogues import Keep

    minds, named = _minds(policy, llm, told_of_harm=told_of_harm), adult.named()
    keep = None if keep_days is None else Keep(keep_days or None)
    try:
        serve_pages(
            host,
            port,
            study,
            address=address,
            typing=typing,
            minds=minds,
            tell=typer.echo,
            tell_secret=on_terminal(),
            keep=keep,
            prepare=lambda opened: remember(opened, named),
        )
    except KeyboardInterrupt:
        typer.echo("stopped")
    return 0


def _minds(policy: str, llm: ModelOptions, *, told_of_harm: bool) -> Minds:
    """Return the minds of the peers, as the options have them."""
    from eduverse_mesa.pupils.dialogues import Minds
    from eduverse_mesa.scenarios.loader import load_collaboration

    asked = llm.settings()
    refuse_unused(asked, policy)
    if told_of_harm:
        asked["llm.told_of_harm"] = True
    return Minds(policy, load_collaboration(settings=asked).settings.llm)


Named = Annotated[str, typer.Argument(metavar="NAME", help="The name with which one logs in.")]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")]
Existing = Annotated[str, typer.Argument(metavar="STUDY", help="The study, a file or a database's URL.")]


def import_students(
    study: Existing,
    names: Annotated[Path, typer.Argument(metavar="FILE", help="Names of students, one a line; pseudonyms are best.")],
    out: Out = Path("passwords.csv"),
    teacher: Annotated[
        str, typer.Option("--teacher", metavar="NAME", help="In whose class they are; else the first teacher's.")
    ] = "",
    teachers: Annotated[
        bool, typer.Option("--teachers", help="The names are of teachers, each of whom has a class of her own.")
    ] = False,
    language: Annotated[
        str, typer.Option("--language", metavar="en|zh", help="In which language their pages are; each may change it.")
    ] = "en",
) -> int:
    """Make an account for each name in a file, and write their passwords to another."""
    import csv

    from eduverse_mesa.runs.tables import no_formula
    from eduverse_mesa.store import Study as Opened
    from eduverse_mesa.store.accounts import add_account, draw_password
    from eduverse_mesa.visualization.words import LANGUAGES

    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise EduverseError(f"there are no pages in '{language}'.", where="--language", mend=f"Known: {known}.")
    lines = _without_heading(_read_names(names), str(names))
    wanted = [line for line in lines if line.strip()]
    role: Role = "teacher" if teachers else "student"
    with Opened.open(study, create=True) as opened:
        maker = _teacher(opened, teacher)
        _refuse_amiss(opened, lines, str(names))
        with _new_file(out) as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["name", "password"])
            for name in wanted:
                password = draw_password()
                made = add_account(opened, name, role, password, made_by=maker, language=language)
                table.writerow([no_formula(made.name), password])
                file.flush()  # whoever has an account by now has a password, too
    told = "1 account; its password is" if len(wanted) == 1 else f"{len(wanted)} accounts; their passwords are"
    typer.echo(f"{told} in {out}.")
    return 0


def _refuse_amiss(opened: Opened, lines: list[str], file: str) -> None:
    """All or none: whoever mends a line gives the same command again."""
    from eduverse_mesa.store.accounts import names_amiss

    if all(re.search(r"[;\t]|,\S", line) for line in lines if line.strip()):
        raise EduverseError(
            "this looks like a table: each line has a comma without a space, a semicolon or a tab in it.",
            where=file,
            mend="Keep the names only, one a line, without what stands above and beside them. No account was made.",
        )
    wrong = list(names_amiss(opened, lines, file))
    if wrong:
        more = f" So are {len(wrong) - 1} more." if len(wrong) > 1 else ""
        mend = f"{wrong[0].mend}{more} No account was made: mend the file, and give the command again."
        raise StudyError(wrong[0].message, where=wrong[0].where, mend=mend)


def _teacher(opened: Opened, name: str) -> str | None:
    """The account of a teacher; none where none is named."""
    from eduverse_mesa.store.accounts import account_named

    found = account_named(opened, name) if name else None
    if name and (found is None or found[0].role != "teacher"):
        raise EduverseError(f"there is no teacher '{name}'.", where=opened.path, mend="Names are on the page Class.")
    return found[0].id if found else None


def _read_names(names: Path) -> list[str]:
    try:
        found = names.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise EduverseError("is no text.", where=str(names), mend="Save it as UTF-8, one name a line.") from None
    if not any(map(str.strip, found)):
        raise EduverseError("holds no names.", where=str(names), mend="Write one a line.")
    return found


_HEADINGS = frozenset(
    {
        *("name", "names", "full name", "first name", "user", "user name", "username", "account", "login"),
        *("student", "students", "student name", "pupil", "pupils", "pupil name", "learner", "learners"),
        *("teacher", "teachers", "teacher name", "pseudonym", "pseudonyms"),
        *(
            "姓名",
            "名字",
            "名称",
            "学生",
            "学生姓名",
            "学员",
            "用户",
            "用户名",
            "账号",
            "老师",
            "教师",
            "教师姓名",
            "化名",
        ),
    }
)
"""Headings above a column of names, which are nobody's name."""


def _without_heading(lines: list[str], file: str) -> list[str]:
    """The lines without the heading of the column; all of them keep their numbers."""
    first = next(number for number, line in enumerate(lines) if line.strip())
    heading = " ".join(lines[first].replace("_", " ").strip("\"': \t").casefold().split())
    if heading not in _HEADINGS:
        return lines
    if not any(line.strip() for line in lines[first + 1 :]):
        raise EduverseError("holds no names, but a heading.", where=file, mend="Write one a line below it.")
    typer.echo(
        f"{file}, line {first + 1}: '{lines[first].strip()}' is taken for a heading, and is no account.", err=True
    )
    return ["" if number == first else line for number, line in enumerate(lines)]


def _new_file(path: Path) -> IO[str]:
    """A table, with the mark by which spreadsheets know the letters of all languages."""

    def for_me_alone(name: str, flags: int) -> int:
        return os.open(name, flags, 0o600)  # passwords, and what students said

    try:
        return open(path, "x", encoding="utf-8-sig", newline="\n", opener=for_me_alone)
    except FileExistsError:
        raise EduverseError("is there already.", where=str(path), mend="Choose another --out.") from None


def new_password(study: Existing, name: Named) -> int:
    """Give a teacher or a student another password, which is shown once: the first teacher has nobody else to ask."""
    from eduverse_mesa.store import Study as Opened
    from eduverse_mesa.store.accounts import account_named, draw_password, set_password

    with Opened.open(study) as opened:
        found = account_named(opened, name)
        if found is None:
            raise EduverseError(f"there is no account '{name}'.", where=study, mend="Names are on the page Class.")
        password = draw_password()
        set_password(opened, found[0].id, password)
    typer.echo(f"{found[0].name} has the password {password} now - it is not shown again.")
    return 0


def export(
    study: Existing,
    out: Out = Path("messages.csv"),
    names: Annotated[
        bool, typer.Option("--names", help="With the names by which students log in; else they are numbered.")
    ] = False,
) -> int:
    """Write all that was said as a table: student, problem, stage, speaker, text."""
    from eduverse_mesa.runs.groups.tables import numbered, said_table
    from eduverse_mesa.store import Study as Opened

    with Opened.open(study, read_only=True) as opened:
        made = said_table(opened, {} if names else numbered(opened))
    with _new_file(out) as file:
        made.to_csv(file, index=False)
    typer.echo(f"{len(made)} messages in {out}.")
    return 0


def erase(
    study: Existing,
    name: Named,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Delete a student with everything they have written and answered, for good."""
    from eduverse_mesa.policies.llm.connection import cache_path
    from eduverse_mesa.runs.groups.erasure import finish, make_sure, take_out
    from eduverse_mesa.store import Study as Opened
    from eduverse_mesa.store.accounts import account_named
    from eduverse_mesa.store.purge import out_of_reach, own_files

    with Opened.open(study) as opened:
        found = account_named(opened, name)
        if found is None:
            if finish(opened, cache_path()):
                typer.echo("An erasing that another program had held up is finished.")
                return 0
            raise EduverseError(f"there is no account '{name}'.", where=study, mend="Names are on the page Class.")
        called = found[0].name
        if not yes:
            typer.confirm(f"Delete all that {called} has written and answered, for good?", abort=True)
        taken = take_out(opened, found[0].id)
        make_sure(opened, taken, cache_path())
        beyond = out_of_reach(opened)
        folders = [Path.cwd(), *(file.resolve().parent for file in own_files(opened))]
    count = len(taken.runs)
    typer.echo(f"{called} is erased, with {count} dialogue{'s' * (count != 1)}.")
    for left in _beside(called, folders):
        typer.echo(left)
    typer.echo(f"Not reached: {'; '.join(('what was exported, downloaded or printed elsewhere', *beyond))}.")
    return 0


def _beside(name: str, folders: list[Path]) -> Iterator[str]:
    """Yield what is to be done by hand: tables beside the study, and where the command was given, in which the name
    still stands, also packed."""
    from eduverse_mesa.runs.erasure.participant import Needle, is_packed, search_files

    needle = Needle(name, True)
    for file in dict.fromkeys(path for folder in folders for path in sorted(folder.iterdir()) if path.is_file()):
        try:
            if file.suffix.lower() == ".zip":
                there = is_packed(file, needle)
            elif file.suffix.lower() in _TABLES:
                there = bool(search_files([file], [needle])[1])
            else:
                continue
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, EOFError):  # torn, locked, or not ours to read
            yield f"{file} cannot be searched: see yourself whether it holds the name."
            continue
        if there:
            yield f"{file} still holds the name: delete it, or export it anew."


add(mathvc, "serve", serve)
add(mathvc, "import", import_students)
add(mathvc, "password", new_password)
add(mathvc, "export", export)
add(mathvc, "erase", erase)
