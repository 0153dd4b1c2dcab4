"""Plays an entry in a fresh folder, and takes up all that it leaves there."""

from __future__ import annotations

import ast
import contextlib
import gzip
import io
import os
import runpy
import shlex
import shutil
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Iterator
from pathlib import Path

from tools.corpus import names, products
from tools.corpus.endpoint import Endpoint, serving
from tools.corpus.entries import Entry

ROOT = Path(__file__).resolve().parents[2]
STUDIES = Path(__file__).parent / "studies"
_ENVIRONMENT = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC", "EDUVERSE_CACHE": "none"}
CRASHED = "crashed"
_ADDRESS = "ENDPOINT"
_EXPORTS = ("csv", "jsonl")


def play(entry: Entry) -> dict[str, str]:
    """Play an entry; returns its products by name."""
    with _fresh_folder() as folder, _alone(folder):
        for name, text in entry.files.items():
            Path(name).write_text(text, encoding="utf-8")
        for name in entry.studies:
            Path(name).write_bytes(gzip.decompress((STUDIES / f"{name}.gz").read_bytes()))
        made: dict[str, str] = {}
        with serving(entry.name) if entry.asks_model else contextlib.nullcontext() as endpoint:
            if endpoint is not None:
                os.environ.update(OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="none")
            for number, line in enumerate(entry.commands, 1):
                code, told, complaints = run([_placed(word, endpoint) for word in shlex.split(line)], entry.typed)
                if code == CRASHED:
                    raise RuntimeError(f"{line}\n{complaints}")
                made[f"{number}.code"] = code
                form = products.schema if line.startswith("eduverse schema") else products.of_output
                made[f"{number}.out"] = form(told) if told.strip() else ""
            if endpoint is not None:
                made["prompts"] = endpoint.prompts()
        made |= _left_in(Path())
        return {name: _placeless(text, folder, endpoint) for name, text in made.items()}


def play_timed(entry: Entry) -> tuple[dict[str, str], float]:
    """Play an entry; returns its products and the seconds that it took. Of one that fails the only product is why."""
    begun = time.perf_counter()
    try:
        return play(entry), time.perf_counter() - begun
    except Exception:
        return {CRASHED: traceback.format_exc()}, time.perf_counter() - begun


def run(words: list[str], typed: str = "") -> tuple[str, str, str]:
    """Run a command; returns its exit code, what it printed, and what it complained of."""
    command, *arguments = words
    with _captured(typed) as said:
        if command == "eduverse":
            code = _call(arguments)
        elif command == "python":
            sys.argv = arguments
            code = _run_file(arguments[0])
        elif command == "rm":
            for pattern in arguments:
                for path in sorted(Path().glob(pattern)):
                    path.unlink()
            code = "0"
        else:
            raise ValueError(f"an entry can call eduverse, python and rm, and not {command}")
    return code, said[0], said[1]


def _call(arguments: list[str]) -> str:
    from eduverse_mesa.cli import main

    try:
        return str(main(arguments))
    except Exception:
        traceback.print_exc()
        return CRASHED


def _run_file(name: str) -> str:
    """Run a program, or the code of a page or notebook of the documentation."""
    path = Path(name) if Path(name).exists() else ROOT / name
    try:
        if path.suffix in (".md", ".ipynb"):
            _run_document(path)
        else:
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as stop:
        return str(stop.code or 0)
    except Exception:
        traceback.print_exc()
        return CRASHED
    return "0"


def _run_document(path: Path) -> None:
    """Run the code as what a reader types: it stands in the main module, where measures of one's own are looked for."""
    space = types.ModuleType("__main__")
    vars(space)["display"] = print
    standing, sys.modules["__main__"] = sys.modules["__main__"], space
    try:
        for body in names.code_of(path):
            _run_cell(body, path.name, vars(space), shows=path.suffix == ".ipynb")
    finally:
        sys.modules["__main__"] = standing


def _run_cell(body: str, name: str, space: dict[str, object], *, shows: bool) -> None:
    """Run a block; a notebook shows the value of a last line that is one."""
    tree = ast.parse(body, name)
    last = tree.body.pop() if shows and tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)  # noqa: S102 - the project's own documentation
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307 - the same
        if value is not None:
            print(value)


@contextlib.contextmanager
def _captured(typed: str) -> Iterator[list[str]]:
    """Take what this process and those that it starts write; what is typed comes from a text. At the end the list holds
    what was printed, and what was complained of."""
    standing = sys.stdin, sys.stdout, sys.stderr, sys.argv
    standing[1].flush()
    standing[2].flush()
    before = os.dup(1), os.dup(2)
    said: list[str] = []
    with tempfile.TemporaryDirectory() as room:
        files = [(Path(room) / name).open("w+", encoding="utf-8") for name in ("out", "err")]
        sys.stdin, (sys.stdout, sys.stderr) = io.StringIO(typed), files
        for number, file in enumerate(files, 1):
            os.dup2(file.fileno(), number)
        try:
            yield said
        finally:
            sys.stdin, sys.stdout, sys.stderr, sys.argv = standing
            for number, (kept, file) in enumerate(zip(before, files, strict=True), 1):
                file.flush()
                os.dup2(kept, number)
                os.close(kept)
                file.close()
                said.append((Path(room) / ("out", "err")[number - 1]).read_bytes().decode("utf-8", "replace"))


@contextlib.contextmanager
def _fresh_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="corpus-", ignore_cleanup_errors=True) as room:
        yield Path(room).resolve()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Work in a folder, with nothing set that a user of this machine has set."""
    where, environment = Path.cwd(), dict(os.environ)
    for name in list(os.environ):
        if name.startswith(("EDUVERSE_", "OPENAI_", "ANTHROPIC_")):
            del os.environ[name]
    os.environ.update(_ENVIRONMENT, PYTHONPATH=str(ROOT))  # for programs that entries start
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(environment)


def _left_in(folder: Path) -> dict[str, str]:
    """The text of each file that is left, and the tables of each study; hidden files are a program's own."""
    made: dict[str, str] = {}
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in files:
        if any(part.startswith(".") for part in path.parts) or path.suffix == ".py":
            continue
        made[path.as_posix()] = products.of_file(path)
        if path.suffix == ".study":
            made |= _exported(path)
    return made


def _exported(study: Path) -> dict[str, str]:
    """The runs of a study, with their tables and answers, as the command writes them."""
    made = {f"{study.name}: runs": products.of_output(run(["eduverse", "list", study.name, "--json"])[1])}
    for form in _EXPORTS:
        target = Path(f".{study.name}-{form}")
        code, *_ = run(["eduverse", "export", study.name, "--all", "--format", form, "--out", str(target)])
        if code != "0":
            made[f"{study.name}: {form}"] = f"exit code {code}"
            continue
        for path in sorted(target.rglob("*.*")):
            if path.is_file() and path.name != "codebook.csv":
                made[f"{study.name}: {path.relative_to(target).as_posix()}"] = products.of_file(path)
        shutil.rmtree(target)
    return made


def _placed(word: str, endpoint: Endpoint | None) -> str:
    """A word of a command, with the address of the endpoint where it stands for it."""
    return endpoint.url if endpoint is not None and word == _ADDRESS else word


def _placeless(text: str, folder: Path, endpoint: Endpoint | None) -> str:
    """The text without the folder and the address, which are other ones each time."""
    text = text.replace(str(folder), "FOLDER")
    return text if endpoint is None else text.replace(endpoint.url, _ADDRESS)
