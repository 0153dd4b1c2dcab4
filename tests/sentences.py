"""The English sentences with which the package refuses something, read from its source: every message and mend that an
`EduverseError` or a scenario's `Problem` can be made with, with a gap `{}` wherever a value is filled in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import eduverse_mesa

ROOT = Path(eduverse_mesa.__file__).parent
SAID = ("message", "mend", "reason")
"""How parameters are called that become sentences of an error."""
_NONE = ("strip", "rstrip", "lstrip", "removesuffix", "removeprefix", "capitalize")
"""Methods of a text that leave its words as they are."""


class Sink(NamedTuple):
    """A parameter of a callable that becomes a sentence of an error."""

    callable: str
    parameter: str


@dataclass
class Source:
    """A module, with its functions by their names."""

    name: str
    tree: ast.Module
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    inside: dict[ast.AST, ast.FunctionDef | None] = field(default_factory=dict)
    """The function in which each call stands."""
    constants: dict[str, ast.expr] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)


@dataclass
class Sentences:
    """What was found."""

    templates: dict[str, set[str]] = field(default_factory=dict)
    """The modules in which each sentence stands."""
    unread: list[str] = field(default_factory=list)
    """Places where a sentence is given that cannot be read from the source."""


def imported(starts: Iterable[Path]) -> tuple[str, ...]:
    """These modules and all of the package that they import, also later."""
    found: set[Path] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eduverse_mesa"):
                    names = [str(node.module), *(f"{node.module}.{one.name}" for one in node.names)]
                    waiting += [file for name in names if (file := _file(name)) is not None]
    return tuple(sorted(str(path.relative_to(ROOT)) for path in found))


def _file(name: str) -> Path | None:
    path = ROOT.parent.joinpath(*name.split("."))
    return next((one for one in (path / "__init__.py", path.with_suffix(".py")) if one.exists()), None)


def _source(path: Path) -> Source:
    made = Source(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8")))
    waiting: list[tuple[ast.AST, ast.FunctionDef | None]] = [(made.tree, None)]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            made.functions.setdefault(node.name, []).append(node)  # type: ignore[arg-type]
            around = node  # type: ignore[assignment]
        made.inside[node] = around
        if isinstance(node, ast.Call):
            made.calls.append(node)
        if around is None and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    made.constants.setdefault(target.id, node.value)
        waiting += [(child, around) for child in ast.iter_child_nodes(node)]
    return made


def sentences(modules: Iterable[str]) -> Sentences:
    """All of them in these modules, given by their paths in the package."""
    return _Reader(tuple(_source(ROOT / name) for name in modules)).read()


class _Reader:
    def __init__(self, modules: tuple[Source, ...]) -> None:
        self.modules = modules
        self.sinks: dict[str, list[str]] = {}
        self.found = Sentences()
        self.functions: dict[str, list[tuple[Source, ast.FunctionDef]]] = {}
        self.constants: dict[str, tuple[Source, ast.expr]] = {}
        for module in modules:
            for name, functions in module.functions.items():
                self.functions.setdefault(name, []).extend((module, one) for one in functions)
            for name, constant in module.constants.items():
                self.constants.setdefault(name, (module, constant))
        self.known: dict[Any, list[str | None]] = {}

    def read(self) -> Sentences:
        self._find_classes()
        known = -1
        while known != len(self.sinks):
            known = len(self.sinks)
            for module in self.modules:
                for call in self._calls(module):
                    self._pass_on(module, call)
        for module in self.modules:
            for call in self._calls(module):
                self._take(module, call)
        return self.found

    def _find_classes(self) -> None:
        names = {"EduverseError"}
        grown = True
        classes = [(m, node) for m in self.modules for node in ast.walk(m.tree) if isinstance(node, ast.ClassDef)]
        while grown:
            grown = False
            for _, node in classes:
                if node.name not in names and names & {ast.unparse(base).split(".")[-1] for base in node.bases}:
                    names.add(node.name)
                    grown = True
        for name in names:
            self.sinks[name] = ["message", "*where", "*mend"]
        self.sinks |= {"Failure": ["reason"], "failed": ["-source", "reason"], "Refusal": ["-cell", "reason"]}
        self.sinks["ValueError"] = ["message"]  # of a document's own check; a page shows no other
        self.sinks["Problem"] = ["-spot", "-trail", "message", "mend"]
        self.errors = names
        for _, node in classes:
            own = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
            if node.name in names and own is not None and node.name != "EduverseError":
                given = [one.arg for one in [*own.args.args[1:], *own.args.kwonlyargs]]
                self.sinks[node.name] = [one if one in SAID else f"-{one}" for one in given]

    def _calls(self, module: Source) -> Iterator[ast.Call]:
        for node in module.calls:
            name = _name(node.func)
            if name == "ValueError" and not module.name.startswith("scenarios/"):
                continue
            if name in self.sinks or name == "super().__init__":
                yield node

    def _given(self, module: Source, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments that become sentences."""
        name = _name(call.func)
        if name == "super().__init__":
            around = module.inside[call]
            owner = next((n for n in ast.walk(module.tree) if isinstance(n, ast.ClassDef) and around in n.body), None)
            if owner is None or owner.name not in self.errors:
                return
            parameters = ["message"]
        else:
            parameters = [one for one in self.sinks[name] if not one.startswith("*")]
        for parameter, given in zip(parameters, call.args, strict=False):
            if isinstance(given, ast.Starred):
                yield given
                break
            if not parameter.startswith("-"):
                yield given
        for keyword in call.keywords:
            if keyword.arg in SAID:
                yield keyword.value

    def _pass_on(self, module: Source, call: ast.Call) -> None:
        function = module.inside[call]
        if function is None or function.name == "__init__":
            return
        names = [one.arg for one in [*function.args.args, *function.args.kwonlyargs]]
        used = {
            node.id
            for given in self._given(module, call)
            for node in (
                [given]
                if isinstance(given, ast.Name)
                else [given.value]
                if isinstance(given, ast.Starred) and isinstance(given.value, ast.Name)
                else _whole_names(given)
            )
        }
        passed = [name for name in names if name in used and name.startswith(SAID)]
        if not passed:
            return
        bare = names[1:] if names[:1] in (["self"], ["cls"]) else names
        positions = [one if one in passed else f"-{one}" for one in bare]
        self.sinks.setdefault(function.name, positions)

    def _take(self, module: Source, call: ast.Call) -> None:
        function = module.inside[call]
        for given in self._given(module, call):
            made = list(self.resolve(module, function, given, 0))
            for one in made:
                if one is None:
                    self.found.unread.append(f"{module.name}:{given.lineno}: {ast.unparse(given)[:90]}")
                else:
                    self._add(module, call, one)

    def _add(self, module: Source, call: ast.Call, text: str) -> None:
        parts = [text]
        if _name(call.func) == "ValueError":  # "what is wrong; how to mend it", as `scenarios.problems` reads it
            what, _, mend = text.rpartition("; ")
            parts = [what, f"{mend[:1].upper()}{mend[1:]}."] if what else [text]
        for part in parts:
            if part.endswith("..") and not part.endswith("..."):  # a sentence and its own full stop
                part = part[:-1]
            words = part.replace("{}", "")
            if len(re.sub(r"[^A-Za-z]", "", words)) > 3 and (" " in part or words.endswith(".")):
                self.found.templates.setdefault(part.strip(), set()).add(module.name)

    def resolve(
        self, module: Source, function: ast.FunctionDef | None, node: ast.expr, depth: int
    ) -> Iterable[str | None]:
        """The texts that an expression can come to; None for one that cannot be read here."""
        if depth > 6:
            return [None]
        match node:
            case ast.Starred():
                return self._parts(module, function, node.value, None, depth)
            case ast.Name():
                return self._of_name(module, function, node.id, depth)
            case ast.Attribute(attr="message" | "mend"):
                return []  # of another error, which is read where it is made
            case ast.Attribute():
                return self._of_name(module, None, node.attr, depth)
            case ast.Call():
                return self._of_call(module, function, node, depth)
            case ast.Subscript():
                return self._of_table(module, function, node.value, depth) or [None]
        return self._of_text(module, function, node, depth)

    def _of_text(
        self, module: Source, function: ast.FunctionDef | None, node: ast.expr, depth: int
    ) -> Iterable[str | None]:
        """A text as it is written there, or put together."""

        def deeper(one: ast.expr) -> list[str | None]:
            return list(self.resolve(module, function, one, depth + 1))

        match node:
            case ast.Constant():
                return [node.value] if isinstance(node.value, str) else []
            case ast.JoinedStr():
                return self._joined(module, function, node, depth)
            case ast.BinOp(op=ast.Add()):
                return [_both(a, b) for a in deeper(node.left) for b in deeper(node.right)]
            case ast.BinOp(op=ast.Mod()):
                return [one and one.replace("%s", "{}") for one in deeper(node.left)]
            case ast.IfExp():
                return deeper(node.body) + deeper(node.orelse)
            case ast.BoolOp():
                return [one for value in node.values for one in deeper(value)]
            case ast.NamedExpr():
                return deeper(node.value)
        return [None]

    def _joined(
        self, module: Source, function: ast.FunctionDef | None, node: ast.JoinedStr, depth: int
    ) -> list[str | None]:
        texts = [""]
        for part in node.values:
            options = [str(part.value)] if isinstance(part, ast.Constant) else []
            if isinstance(part, ast.FormattedValue):
                options = self._gap(module, function, part, depth)
            texts = [text + option for text in texts for option in options]
        return [*texts]

    def _of_table(
        self, module: Source, function: ast.FunctionDef | None, node: ast.expr, depth: int
    ) -> list[str | None]:
        """All that stands in a table of the module."""
        table = self._constant(module, node)
        values = table.values if isinstance(table, ast.Dict) else []
        return [one for value in values for one in self.resolve(module, function, value, depth + 1)]

    def _gap(self, module: Source, function: ast.FunctionDef | None, part: ast.FormattedValue, depth: int) -> list[str]:
        """What is filled in: the texts that it may be, where the function says so; else a gap."""
        if part.format_spec is None and isinstance(
            part.value, ast.IfExp | ast.Name | ast.Call | ast.BoolOp | ast.Subscript | ast.NamedExpr
        ):
            options = list(self.resolve(module, function, part.value, depth + 2))
            if _are_fragments(options):
                return [one for one in dict.fromkeys(options) if one is not None]
        return ["{}"]

    def _of_name(self, module: Source, function: ast.FunctionDef | None, name: str, depth: int) -> Iterable[str | None]:
        key = (module.name, function, name)
        if key not in self.known:
            self.known[key] = []
            self.known[key] = list(dict.fromkeys(self._read_name(module, function, name, depth)))
        return self.known[key]

    def _read_name(
        self, module: Source, function: ast.FunctionDef | None, name: str, depth: int
    ) -> Iterable[str | None]:
        if function is not None:
            found: list[str | None] = []
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr)
                    and node.value is not None
                ):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for target in targets:
                        if isinstance(target, ast.Name) and target.id == name:
                            found += self.resolve(module, function, node.value, depth + 1)
                        elif isinstance(target, ast.Tuple):
                            at = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
                            if name in at:
                                found += self._parts(module, function, node.value, at.index(name), depth)
            if found:
                return found
            if name in [one.arg for one in [*function.args.args, *function.args.kwonlyargs]]:
                return [] if function.name in self.sinks and name in self.sinks[function.name] else [None]
            return self._of_name(module, None, name, depth)
        own = module.constants.get(name)
        where, constant = (module, own) if own is not None else self.constants.get(name, (module, None))
        return [None] if constant is None else self.resolve(where, None, constant, depth + 1)

    def _parts(
        self, module: Source, function: ast.FunctionDef | None, node: ast.expr, at: int | None, depth: int
    ) -> list[str | None]:
        """One of several texts that an expression gives together, or all of them."""
        if depth > 6:
            return [None]
        match node:
            case ast.Tuple():
                parts = [node.elts[at]] if at is not None and at < len(node.elts) else node.elts
                return [one for part in parts for one in self.resolve(module, function, part, depth + 1)]
            case ast.IfExp():
                return [
                    *self._parts(module, function, node.body, at, depth),
                    *self._parts(module, function, node.orelse, at, depth),
                ]
            case ast.Call():
                return [
                    one
                    for where, called in self._called(module, node)
                    for one in self._returned(where, called, at, depth)
                ] or [None]
            case ast.Subscript():
                table = self._constant(module, node.value)
                if isinstance(table, ast.Dict):
                    return [
                        one for value in table.values for one in self._parts(module, function, value, at, depth + 1)
                    ]
        return [None]

    def _of_call(
        self, module: Source, function: ast.FunctionDef | None, node: ast.Call, depth: int
    ) -> Iterable[str | None]:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _NONE:
                return self.resolve(module, function, node.func.value, depth + 1)
            if node.func.attr == "format":
                return self.resolve(module, function, node.func.value, depth + 1)
            if node.func.attr == "get":
                rest = [one for part in node.args[1:] for one in self.resolve(module, function, part, depth + 1)]
                return [*self._of_table(module, function, node.func.value, depth), *rest]
        called = self._called(module, node)
        if not called:
            return [None]
        found = [one for where, each in called for one in self._returned(where, each, -1, depth)]
        if any(found):
            return found
        given = [*node.args, *(keyword.value for keyword in node.keywords)]  # it only fills in what it is given
        handed = [
            one
            for part in given
            if isinstance(part, ast.JoinedStr | ast.Constant)
            for one in self._handed(module, function, part, depth)
        ]
        return handed or found

    def _handed(self, module: Source, function: ast.FunctionDef | None, part: ast.expr, depth: int) -> list[str | None]:
        return [one and one.replace("%s", "{}") for one in self.resolve(module, function, part, depth + 1)]

    def _returned(self, module: Source, function: ast.FunctionDef, at: int | None, depth: int) -> list[str | None]:
        """What a function gives back: the text, or one of several."""
        key = (function, at)
        if key not in self.known:
            self.known[key] = []
            found: list[str | None] = []
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    if at == -1:
                        found += self.resolve(module, function, node.value, depth + 1)
                    else:
                        found += self._parts(module, function, node.value, at, depth + 1)
            self.known[key] = list(dict.fromkeys(found))
        return self.known[key]

    def _called(self, module: Source, node: ast.Call) -> list[tuple[Source, ast.FunctionDef]]:
        name = _name(node.func)
        found = [(where, one) for where, one in self.functions.get(name, []) if not _is_abstract(one)]
        own = [(where, one) for where, one in found if where is module]
        if own:
            return own
        if isinstance(node.func, ast.Attribute):  # of an object rather than of a module, where there is such a method
            methods = [one for one in found if [arg.arg for arg in one[1].args.args[:1]] in (["self"], ["cls"])]
            found = methods or found
        return found[:3]

    def _constant(self, module: Source, node: ast.expr) -> ast.expr | None:
        return module.constants.get(_name(node))


def _is_abstract(function: ast.FunctionDef) -> bool:
    """It is left to other classes: all that it does is to say so."""
    *_, last = function.body
    return isinstance(last, ast.Raise) and last.exc is not None and ast.unparse(last.exc) == "NotImplementedError"


def _whole_names(node: ast.expr) -> list[ast.Name]:
    """Names of which a text is made, where it is hardly more than them."""
    if isinstance(node, ast.JoinedStr):
        literal = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        if len(literal.strip(" .:")) == 0:
            return [p.value for p in node.values if isinstance(p, ast.FormattedValue) and isinstance(p.value, ast.Name)]
    if isinstance(node, ast.BoolOp | ast.IfExp):
        return [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    return []


def _are_fragments(options: list[str | None]) -> bool:
    """Whether these are pieces of a sentence, and not what it is about."""
    if None in options or not any(options):
        return False
    if "" in options:
        return all(one is not None and (not one or one[0] in " ,;" or one[-1] == " ") for one in options)
    return all(one is not None and " " in one.strip() for one in options)


def _both(one: str | None, other: str | None) -> str | None:
    return None if one is None or other is None else one + other


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            if isinstance(node.value, ast.Call) and _name(node.value.func) == "super":
                return "super().__init__" if node.attr == "__init__" else node.attr
            return node.attr
    return ""
