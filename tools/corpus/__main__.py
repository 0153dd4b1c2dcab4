"""A corpus of runs whose results stay the same while the package is rebuilt inside.

`python -m tools.corpus make` plays all entries and writes down what came of them, `python -m tools.corpus check` plays
them again and names what differs. `--only KIND` (or KIND/PART OF A NAME) takes a part, `--jobs 2` two processes, and
`--keep FOLDER` also writes every product as a file, so that those of two trees can be laid beside each other.
`studies` writes the studies anew that later versions are tried with, and `list` names all entries.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tools.corpus import names
from tools.corpus.entries import Catalogue, Entry, all_entries
from tools.corpus.expected import Expected, differences
from tools.corpus.pages import BROWSER
from tools.corpus.player import CRASHED, ROOT, play_timed, run
from tools.corpus.studies import write_studies

EXPECTED = Path(__file__).parent / "expected.jsonl"
_NAMES = "names"
# In the first a model on this machine speaks, as each processor lets it; the others show Mesa's own batches, whose runs
# draw their seeds with Mesa 3.3.
_LEFT_OUT = ("embedded_and_local.ipynb", "mesa.md", "sweeps.ipynb")


def catalogue() -> Catalogue:
    """Return the names of everything built in, and the documents that hold code."""
    code, told, complaints = run(["eduverse", "list", "--json"])
    if code != "0":
        raise RuntimeError(complaints)
    found = {kind: [one["name"] for one in rows] for kind, rows in json.loads(told).items()}
    pages = [page for page in names.documents(ROOT) if names.code_of(page) and page.name not in _LEFT_OUT]
    return {
        **found,
        "document": [page.relative_to(ROOT).as_posix() for page in pages],
        "browser": [BROWSER] if BROWSER else [],
    }


def public_names() -> dict[str, str]:
    """The names that users have in their files: what documents import, and commands with their options."""
    told = names.options(lambda arguments: run(["eduverse", *arguments])[1])
    return {"imports": "\n".join(names.imported(ROOT)), "options": "\n".join(told)}


def gone(expected: Expected) -> dict[str, list[str]]:
    """Public names that are gone without a word in CHANGELOG.md."""
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for kind, now in public_names().items():
        before = expected.text(expected.entries[_NAMES, kind][kind])
        if before is None:
            raise RuntimeError(f"{EXPECTED}: the list of {kind} is not kept whole: make it again.")
        found[kind] = names.untold(before.splitlines(), now.splitlines(), told)
    return found


def _chosen(kind: str, name: str, only: Sequence[str]) -> bool:
    """Tell whether an entry is one of those that are wanted: all where none are named."""
    wanted = [one.partition("/") for one in only]
    return not wanted or any(kind == of and part in name for of, _, part in wanted)


def played(entries: list[Entry], given: argparse.Namespace) -> Iterator[tuple[Entry, dict[str, str], float]]:
    """The products of each entry, and the seconds that it took, in the order in which they come."""
    with ProcessPoolExecutor(given.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(play_timed, entry): entry for entry in entries}
        for done in as_completed(waiting):
            made, took = done.result()
            if given.keep is not None:
                _keep(given.keep, waiting[done], made)
            yield waiting[done], made, took


def _keep(folder: Path, entry: Entry, made: dict[str, str]) -> None:
    for product, text in made.items():
        path = folder / entry.kind / entry.name.replace("/", "_") / product.replace("/", "_").replace(": ", "_")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@dataclass
class Report:
    """Number of entries of each kind, number of those that differ, and the seconds that they took."""

    entries: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, kind: str, name: str, found: Sequence[str] = (), took: float = 0.0) -> None:
        """Count an entry, and tell in what it differs."""
        self.entries[kind] += 1
        self.seconds[kind] = self.seconds.get(kind, 0.0) + took
        if found:
            self.differing[kind] += 1
            print("\n    ".join([f"{kind}/{name}", *found]), flush=True)

    def tell(self, took: float) -> None:
        """Print the numbers."""
        for kind, count in sorted(self.entries.items()):
            print(f"{kind:12} {count:4} entries, {self.differing[kind]:3} differ, {self.seconds[kind]:6.1f} s")
        print(f"{self.entries.total()} entries, {self.differing.total()} differ; {took:.0f} s", flush=True)


def make(given: argparse.Namespace, entries: list[Entry], path: Path, report: Report) -> None:
    """Play entries, and expect from now on what comes of them; those of a part take the place of that part."""
    expected = Expected.read(path) if given.only and path.exists() else Expected()
    for key in [key for key in expected.entries if _chosen(*key, given.only)]:
        del expected.entries[key]
    for entry, made, took in played(entries, given):
        failures = [f"{product}: {made[product]}" for product in made if _failed(entry, product, made[product])]
        report.add(entry.kind, entry.name, failures, took)
        if not failures:
            expected.put(entry.kind, entry.name, made)
    if not given.only or _NAMES in given.only:
        for name, text in public_names().items():
            report.add(_NAMES, name)
            expected.put(_NAMES, name, {name: text}, kept=len(text))
    expected.write(path)


def _failed(entry: Entry, product: str, text: str) -> bool:
    """Tell whether a command has crashed, or was refused where it was not to be."""
    return product == CRASHED or (product.endswith(".code") and not entry.may_refuse and text not in ("0", "1"))


def check(given: argparse.Namespace, entries: list[Entry], path: Path, report: Report) -> None:
    """Play entries, and tell in what they differ from what is expected of them."""
    expected = Expected.read(path)
    for entry, made, took in played(entries, given):
        report.add(entry.kind, entry.name, list(_found(expected, entry, made)), took)
    if not given.only or _NAMES in given.only:
        for name, complaints in gone(expected).items():
            report.add(_NAMES, name, complaints)
    if not given.only:
        for kind, name in sorted(set(expected.entries) - {(one.kind, one.name) for one in entries}):
            if kind == "page" and BROWSER is None:
                print(f"{kind}/{name} is not checked: there is no Chromium here")
            elif kind != _NAMES:
                report.add(kind, name, ["is expected, and is no entry any more"])


def _found(expected: Expected, entry: Entry, made: dict[str, str]) -> Iterator[str]:
    key = entry.kind, entry.name
    if CRASHED in made:
        yield made[CRASHED]
    elif key not in expected.entries:
        yield "is not expected: make it"
    else:
        yield from differences(expected, key, made)


def main(arguments: list[str] | None = None, path: Path = EXPECTED) -> int:
    """Make or check; returns 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.corpus", description=__doc__)
    parser.add_argument("command", choices=("make", "check", "list", "studies"))
    parser.add_argument("--only", action="append", default=[], metavar="KIND[/NAME]", help="these; again for more")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes that play entries")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write each product as a file here")
    given = parser.parse_args(arguments)
    if given.command == "studies":
        return write_studies()
    begun = time.perf_counter()
    entries = [one for one in all_entries(catalogue()) if _chosen(one.kind, one.name, given.only)]
    if given.command == "list":
        for entry in entries:
            print(f"{entry.kind}/{entry.name}: {'; '.join(entry.commands)}")
        return 0
    if not entries and _NAMES not in given.only:
        parser.error(f"--only {', '.join(given.only)}: there is no such entry")
    report = Report()
    (make if given.command == "make" else check)(given, entries, path, report)
    report.tell(time.perf_counter() - begun)
    return 1 if report.differing else 0


if __name__ == "__main__":
    sys.exit(main())
