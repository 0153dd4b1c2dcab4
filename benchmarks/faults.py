"""The outcome of a whole short lesson with each fault of a model server: over real sockets, one row a fault.

    python -m benchmarks.faults [--csv FILE] [--json FILE] [--page FILE] [WORD ...]

Words choose the faults whose name or group holds one of them.
"""

from __future__ import annotations

import argparse
import csv
import html
import io
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

from eduverse_mesa.cli import main as eduverse
from eduverse_mesa.decisions.bill import Bill as Ledger
from eduverse_mesa.policies.llm import connection
from eduverse_mesa.policies.llm.rehearsal import sketch
from tests.policies.llm.fake_server import Exchange, FakeServer
from tests.policies.llm.faults import FAULTS, READ, WRITTEN, Fault, says_instead
from tests.runs.model_servers import serving

MODEL = "planted"
_PRICE_IN, _PRICE_OUT = 1.0, 2.0
"""US dollars for a million tokens."""
_LESSON = ("run", "first_lesson", "--policy", "llm", "--set", "pacing.mode=fixed", "--json", "-q")
_HIT = 3
"""One question of so many is hit."""
_CODES = {"ok": 0, "repaired": 0, "fallback": 0, "stop": 4, "useless": 5}
_RIGHT = says_instead(lambda text: text)


@dataclass
class Bill:
    """Requests, tokens and dollars of a lesson."""

    requests: int | None = 0
    tokens: int | None = 0
    usd: float | None = 0.0
    untold: int = 0
    """Requests of which nobody told what they took, and an estimate of what they took at most."""
    most_tokens: int = 0

    def add(self) -> None:
        """One more answer."""
        self.tokens = (self.tokens or 0) + READ + WRITTEN
        self.usd = (self.usd or 0.0) + (READ * _PRICE_IN + WRITTEN * _PRICE_OUT) / 1e6


@dataclass
class Row:
    """A lesson with a fault."""

    fault: str
    group: str
    code: int
    statuses: dict[str, int]
    message: str
    """The first line of the message, or the commonest reason why an answer was not used."""
    paid: Bill
    shown: Bill
    seconds: float
    wrong: list[str] = field(default_factory=list)
    """Deviations of the row from what is expected."""

    @property
    def bill(self) -> str:
        """Compare the bill that is shown with the server's: "same", "untold" if the rest is said to be untold, or
        "differs"."""
        shown, paid = self.shown, self.paid
        tokens, owed = shown.tokens or 0, paid.tokens or 0
        if shown.requests != paid.requests and paid.requests:  # where none arrives, the server has none to count
            return "differs"
        if tokens == owed and abs((shown.usd or 0.0) - (paid.usd or 0.0)) < 1e-9:
            return "same"
        return "untold" if shown.untold and tokens <= owed <= tokens + shown.most_tokens else "differs"


class _Server:
    """Answers a lesson, with a fault; counts what it is owed."""

    def __init__(self, fault: Fault, forms: dict[str, Any]) -> None:
        self._fault = fault
        self._forms = forms
        """Known forms by question: a server that refuses forms is not told them."""
        self._met: set[str] = set()
        self.paid = Bill()
        self.requests = 0

    async def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        question = _question(exchange.body["messages"])
        form = exchange.body.get("response_format", {}).get("json_schema", {}).get("schema")
        form = self._forms.setdefault(question, form)
        text = "{}" if form is None else json.dumps(sketch(form, crc32(question.encode()), 0.3))
        stubborn = self._fault.hits == "stubborn"
        hit = self._hits(_question(takewhile(_is_asked, exchange.body["messages"])) if stubborn else question)
        reply = self._fault.reply if hit else _RIGHT
        self.requests += 1
        refused = _Refusals(exchange)
        if self._fault.paid or not hit:
            self.paid.add()
        await reply(refused, text)
        if refused.status >= 400 and self._fault.paid:
            self._take_back()

    def _hits(self, question: str) -> bool:
        if self._fault.hits == "all":
            return True
        if crc32(question.encode()) % _HIT:
            return False
        first = question not in self._met
        self._met.add(question)
        return first or self._fault.hits != "once"

    def _take_back(self) -> None:
        owed = Bill()
        owed.add()
        self.paid = Bill(0, (self.paid.tokens or 0) - (owed.tokens or 0), (self.paid.usd or 0.0) - (owed.usd or 0.0))

    def bill(self) -> Bill:
        """All that was asked and is owed."""
        return Bill(self.requests, self.paid.tokens, round(self.paid.usd or 0.0, 9))


def _question(messages: Iterable[Any]) -> str:
    return "\n\n".join(str(message["content"]) for message in messages)


def _is_asked(message: Any) -> bool:
    """Not yet a useless answer, which stands before what is asked again."""
    return message["role"] != "assistant"


class _Refusals(Exchange):
    """An exchange that keeps the status of its answer: what is refused is not paid."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange.headers, exchange.body, exchange.writer, exchange.number, exchange.path)
        self.status = 200

    async def send(self, content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """A whole answer."""
        self.status = status
        await super().send(content, status, headers)


class Bench:
    """Plays lessons, one after the other, in this process."""

    def __init__(self) -> None:
        self._forms: dict[str, Any] = {}
        self._lessons = 0
        self._play(Fault("none", _RIGHT), {})  # from it all know the forms of the questions

    def row(self, name: str, fault: Fault) -> Row:
        """One lesson with this fault."""
        row = self._play(fault, dict(self._forms))
        row.fault, row.group = name, fault.group
        return row

    def _play(self, fault: Fault, forms: dict[str, Any]) -> Row:
        self._lessons += 1
        server = _Server(fault, forms)
        out, told = io.StringIO(), io.StringIO()
        with _environment(f"sk-planted-{self._lessons:04d}-5f3a9c71d2"):
            before = connection.totals()
            with serving(FakeServer(usual=server.answer)) as listening:
                address = fault.address.format(url=listening.url, secure=listening.url.replace("http:", "https:"))
                command = [*_LESSON, "--model", MODEL, "--base-url", address, "--steps", str(fault.steps)]
                for setting, value in fault.settings.items():
                    command += ["--set", f"{setting}={value}"]
                since = perf_counter()
                with redirect_stdout(out), redirect_stderr(told):
                    code = eduverse(command)
                seconds = perf_counter() - since
            after = connection.totals()
        self._forms = self._forms or forms
        document = json.loads(out.getvalue()) if out.getvalue() else {}
        models = document.get("models") or {}
        reasons = Counter[str]()
        for entry in models.get("reasons", ()):
            reasons[entry["reason"]] += entry["count"]
        lines = told.getvalue().splitlines()
        shown = _shown(models) if document else _taken(before.bill, after.bill)
        row = Row(
            fault="none",
            group="none",
            code=code,
            statuses={name: count for name, count in document.get("outcomes", {}).items() if count},
            message=lines[0] if lines else (reasons.most_common(1)[0][0] if reasons else ""),
            paid=server.bill(),
            shown=shown,
            seconds=seconds,
        )
        row.wrong = _wrong(row, fault, told.getvalue() + " ".join(reasons))
        return row


def _shown(models: dict[str, Any]) -> Bill:
    """The bill in the document of a run."""
    told, untold = (models["tokens_in"], models["tokens_out"]), models["untold"]
    tokens = None if None in told else sum(told)
    return Bill(models["calls"], tokens, models["cost_usd"], untold["calls"], untold["tokens_at_most"])


def _taken(before: Ledger, after: Ledger) -> Bill:
    """A run that has stopped shows no more than the line while it went on."""
    names = ("requests", "tokens", "usd", "untold", "most_tokens")
    return Bill(*(getattr(after, name) - getattr(before, name) for name in names))


def _wrong(row: Row, fault: Fault, said: str) -> list[str]:
    """Return the ways in which a row differs from what is expected of its fault."""
    found = []
    if row.code != _CODES[fault.end]:
        found.append(f"exit code {row.code} instead of {_CODES[fault.end]}")
    allowed = {"ok": {"ok"}, "repaired": {"ok", "repaired", "fallback"}, "fallback": {"ok", "fallback"}}
    if not row.statuses.keys() <= allowed.get(fault.end, set()):
        found.append(f"answers that are {', '.join(sorted(row.statuses))}")
    if fault.end in ("repaired", "fallback") and not row.statuses.get(fault.end):
        found.append(f"none is {fault.end}")
    if fault.says and fault.says not in said:
        found.append(f"nobody says {fault.says!r}")
    if row.bill == "differs":
        found.append("a bill that differs")
    if "Traceback" in said:
        found.append("a traceback")
    if "sk-planted" in said:
        found.append("the key is shown")
    return found


@contextmanager
def _environment(key: str) -> Iterator[None]:
    """A key and a price, nothing remembered, and the environment as it was afterwards."""
    kept = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        prices = Path(folder) / "prices.yaml"
        prices.write_text(f"models: {{{MODEL}: {{in: {_PRICE_IN}, out: {_PRICE_OUT}}}}}\n", encoding="utf-8")
        for name in ("OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "EDUVERSE_PROXY"):
            os.environ.pop(name, None)
        os.environ |= {"OPENAI_API_KEY": key, "EDUVERSE_CACHE": "none", "EDUVERSE_PRICES": str(prices)}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ |= kept


def bench_faults(faults: dict[str, Fault] | None = None) -> Iterator[Row]:
    """One row a fault."""
    bench = Bench()
    for name, fault in (FAULTS if faults is None else faults).items():
        yield bench.row(name, fault)


_HEAD = ("fault", "exit", "answers", "paid: calls, tokens, USD", "shown: calls, tokens, USD", "bill", "s", "message")
_WIDTHS = (34, 4, 30, 26, 26, 7, 5)


def line(row: Row) -> str:
    """A row as text."""
    statuses = " ".join(f"{name} {count}" for name, count in row.statuses.items()) or "-"
    cells = [
        row.fault,
        str(row.code),
        statuses,
        _bill(row.paid),
        _bill(row.shown),
        row.bill,
    ]
    wrong = f"WRONG: {'; '.join(row.wrong)}   " if row.wrong else ""
    return _joined([*cells, f"{row.seconds:.1f}"]) + wrong + row.message[:110]


def _joined(cells: Sequence[str]) -> str:
    return "".join(f"{cell:<{width}} " for cell, width in zip(cells, _WIDTHS, strict=True))


def _bill(bill: Bill) -> str:
    parts = (bill.requests, bill.tokens, None if bill.usd is None else round(bill.usd, 4))
    return ", ".join("?" if part is None else f"{part:,}" for part in parts)


def _write_csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("fault", "group", "exit", "statuses", "message", "paid_calls", "paid_tokens", "paid_usd",
                         "shown_calls", "shown_tokens", "shown_usd", "shown_untold", "shown_most_tokens",
                         "bill", "seconds", "wrong"))  # fmt: skip
        for row in rows:
            statuses = " ".join(f"{name}={count}" for name, count in row.statuses.items())
            bills = [getattr(bill, name) for bill in (row.paid, row.shown) for name in ("requests", "tokens", "usd")]
            ends = [row.shown.untold, row.shown.most_tokens, row.bill, round(row.seconds, 2), "; ".join(row.wrong)]
            writer.writerow([row.fault, row.group, row.code, statuses, row.message, *bills, *ends])


def write(rows: Sequence[Row], table: Path | None, document: Path | None) -> None:
    """Keep rows as CSV, as JSON, or both."""
    if table is not None:
        _write_csv(rows, table)
    if document is not None:
        kept = [{**asdict(row), "bill": row.bill} for row in rows]
        document.write_text(json.dumps(kept, indent=2), encoding="utf-8")


_PAGE = """# Faults of model servers

`python -m benchmarks.faults --page docs/reference/faults.md` has made this page: a short lesson (`first_lesson`, two
steps unless more are needed) is played over real sockets against a server that does the wrong thing named in the first
column, to some of the questions or to all. {lessons} lessons; {wrong} did not end as they should.

- *exit* is the command's exit code: 0 complete, 4 stopped and can be resumed, 5 stopped because hardly any answer was
  of use.
- *answers* are the lesson's, by status. A lesson that stops keeps its complete steps.
- *paid* is what the server charged (calls, tokens, US dollars), *shown* what the lesson's bill tells. *same*: to the
  token. *told as unknown*: the bill says of how many calls nobody told what they took, and how many tokens those were
  at most ({untold} lessons). In each of them no usage came: the answer broke off, could not be read, never came, or
  told numbers that cannot be true.
- *message* is the first line of what the command says, or the commonest reason why an answer was not used.
"""


def page(rows: Sequence[Row]) -> str:
    """The table as a page of the documentation, a part for each group."""
    wrong, untold = sum(bool(row.wrong) for row in rows), sum(row.bill == "untold" for row in rows)
    parts = [_PAGE.format(lessons=len(rows), wrong=wrong, untold=untold).rstrip()]
    for group in dict.fromkeys(row.group for row in rows):
        parts.append(
            f"\n## {group[0].upper()}{group[1:]}\n\n| fault | exit | answers | paid | shown | bill | message |"
        )
        parts.append("|---|---|---|---|---|---|---|")
        parts += [f"| {' | '.join(map(_in_a_cell, _cells(row)))} |" for row in rows if row.group == group]
    return "\n".join(parts) + "\n"


def _cells(row: Row) -> list[str]:
    statuses = ", ".join(f"{count} {name}" for name, count in row.statuses.items()) or "-"
    bill = {"untold": "told as unknown"}.get(row.bill, row.bill)
    message = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8000", row.message)
    return [row.fault, str(row.code), statuses, _bill(row.paid), _bill(row.shown), bill, message]


def _in_a_cell(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|")


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.faults", description="Faults of model servers.")
    options.add_argument("words", nargs="*", metavar="WORD", help="only faults whose name or group holds one of these")
    options.add_argument("--csv", type=Path, metavar="FILE")
    options.add_argument("--json", type=Path, metavar="FILE")
    options.add_argument("--page", type=Path, metavar="FILE", help="the table as a page of the documentation")
    given = options.parse_args()
    chosen = {
        name: fault
        for name, fault in FAULTS.items()
        if not given.words or any(word in f"{name} {fault.group}" for word in given.words)
    }
    print(_joined(_HEAD[:-1]) + _HEAD[-1])
    rows = []
    for row in bench_faults(chosen):
        rows.append(row)
        print(line(row), flush=True)
    wrong, untold = sum(bool(row.wrong) for row in rows), sum(row.bill == "untold" for row in rows)
    print(f"{len(rows)} lessons in {sum(row.seconds for row in rows):.0f} s: {wrong} not as they should be; "
          f"{untold} bills say of how many calls nobody told.")  # fmt: skip
    write(rows, given.csv, given.json)
    if given.page is not None:
        given.page.write_text(page(rows), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
