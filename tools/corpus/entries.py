"""The runs of the corpus: commands, and the files that they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Catalogue = Mapping[str, Sequence[str]]
"""Names of what is built in, by kind, as `eduverse list --json` tells them."""


@dataclass(frozen=True)
class Entry:
    """Commands that are given one after the other in a fresh folder. All that they print and leave there is kept."""

    kind: str
    name: str
    commands: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts by the name of the file that they stand in beforehand."""
    studies: tuple[str, ...] = ()
    """Kept studies (`tools/corpus/studies`) that are there beforehand."""
    typed: str = ""
    """Text that is typed while a command runs."""
    may_refuse: bool = False
    """Some of the commands are mistakes; elsewhere a refusal is one of the corpus itself."""
    asks_model: bool = False
    """A language model's endpoint stands ready, and what it is asked is kept."""


def all_entries(catalogue: Catalogue) -> list[Entry]:
    """Every entry, in an order in which the long ones come first."""
    parts = (
        _experiments(),
        _studies_over_many_runs(),
        _tutoring(catalogue),
        _guides(catalogue),
        _models(),
        _pages(catalogue),
        _sweeps(),
        _groups(catalogue),
        _lessons(catalogue),
        _courses(),
        _policies(),
        _forks(),
        _kept_studies(),
        _exports(),
        _documents(),
    )
    return [entry for part in parts for entry in part]


_QUIET = "-q --json --out"


def _lessons(catalogue: Catalogue) -> Iterator[Entry]:
    play = f"--sessions 1 {_QUIET} lesson.study"
    for scenario in catalogue["scenario"]:
        for layout in catalogue["layout"]:
            command = f"eduverse run {scenario} --layout {layout} --steps 3 {play}"
            # A class is too large for some of the rooms.
            yield Entry("lesson", f"{scenario} in {layout}", (command,), may_refuse=True)
    for lesson in catalogue["lesson"]:
        yield Entry("lesson", f"lesson {lesson}", (f"eduverse run --lesson {lesson} --seed 2 --steps 6 {play}",))
    for students in (*catalogue["class"], "9"):
        command = f"eduverse run --students {students} --layout pods_4 --seed 3 --steps 3 {play}"
        yield Entry("lesson", f"class {students}", (command,))
    settings = {
        "without thinking": "ablation=[nocog]",
        "without a style": "ablation=[nolocal]",
        "without regulation": "ablation=[noregulate]",
        "closed gate": "gate.threshold=0.9",
        "open gate": "gate.threshold=0.1",
        "fixed pace": "pacing.mode=fixed",
        "demanding": "lessons.0.demand=0.9",
    }
    for name, setting in settings.items():
        command = f"eduverse run --set {setting} --seed 4 --steps 8 {play}"
        yield Entry("lesson", name, (command,))
    yield Entry("lesson", "whole lesson with a report", (f"eduverse run --seed 5 --report lesson.html {play}",))
    whole = f"eduverse run chinese_lesson --seed 5 --report lesson.html {play}"
    yield Entry("lesson", "whole Chinese lesson with a report", (whole,))
    told = "eduverse run --seed 6 --steps 5 -q"
    yield Entry("lesson", "told in the terminal", (told, f"{told} --seeds 3"))
    yield Entry(
        "lesson",
        "class list",
        (f"eduverse run --students class.csv --seed 7 --steps 4 {play}",),
        files={"class.csv": "name,age,seat\nAnn,12,r1_1\nBo,13,r2_2\nCy,12,r1_3\nDi,12,r2_1\n"},
    )


def _courses() -> Iterator[Entry]:
    course = "eduverse run four_sessions --seed 3 -q --json --out course.study"
    yield Entry("course", "four sessions", (f"{course} --steps 6 --report course.html",))
    yield Entry("course", "two sessions over seeds", (f"{course} --sessions 2 --steps 4 --seeds 3",))
    yield Entry("course", "nothing carried over", (f"{course} --sessions 2 --steps 4 --set memory.carry=false",))
    twice = "eduverse run --lesson science --lesson renaissance --layout round --seed 8 --steps 5"
    yield Entry("course", "lessons of the command", (f"{twice} {_QUIET} course.study",))
    yield Entry(
        "course",
        "a scenario file",
        (f"eduverse run back_row.yaml --seed 9 {_QUIET} course.study",),
        files={"back_row.yaml": _BACK_ROW},
    )


_BACK_ROW = """\
name: back_row
layout: lecture
class: six
lessons: [spring_1, spring_2]
seating: {Liu Li: r1_1, Wang Fang: r2_3}
settings:
  steps: 6
  gate: {threshold: 0.5}
  parameters: {attention.board_distance: 0.8}
"""


def _policies() -> Iterator[Entry]:
    play = f"--seed 11 --steps 5 {_QUIET} lesson.study"
    for policy in ("embedded", "plan=embedded,rest=embedded", "words=embedded,rest=embedded"):
        yield Entry("policy", policy, (f"eduverse run --policy {policy} {play}",))
    one = "@Liu Li=embedded,rest=embedded"
    yield Entry("policy", one, (f'eduverse run --policy "{one}" {play}',))
    yield Entry(
        "policy",
        "other parameters",
        (f"eduverse run --set parameters.attention.base=0.9 --set parameters.attention.board_distance=0.1 {play}",),
    )
    yield Entry("policy", "scripted in Python", ("python scripted.py",), files={"scripted.py": _SCRIPTED})
    for policy in ("nobody", "plan=embedded", "dance=embedded,rest=embedded"):
        yield Entry("policy", f"refused: {policy}", (f"eduverse run --policy {policy} {play}",), may_refuse=True)


_SCRIPTED = """\
from eduverse_mesa import ClassroomModel, load_scenario, results, run_course, run_tables
from eduverse_mesa.decisions import Answer, Plan, Planned
from eduverse_mesa.policies import by_agent, make_policy


class Chatterbox:
    name = "chatterbox"

    def __init__(self, rest):
        self.rest = rest

    def answer(self, decisions):
        return [self.answer_one(one) for one in decisions]

    def answer_one(self, decision):
        if isinstance(decision, Plan):
            if decision.at.step == 3:
                return Answer.failed(self.name, "asleep")
            wanted = "chat" if "chat" in decision.permitted else decision.permitted[-1]
            return Answer(Planned("I talk.", wanted), self.name)
        return self.rest.answer([decision])[0]


embedded = make_policy("embedded")
policy = by_agent({"Liu Li": Chatterbox(embedded), "Wang Fang": Chatterbox(embedded)}, rest=embedded)
model = ClassroomModel(layout="round", steps=6, seed=2, policy=policy)
while model.running:
    model.step()
model.datacollector.get_model_vars_dataframe().to_csv("model.csv")
model.datacollector.get_agent_vars_dataframe().to_csv("agents.csv")
run = run_course(load_scenario(layout="collab", steps=5), seed=4, policy=policy)
for name, table in zip(run_tables(run)._fields, run_tables(run)):
    table.to_csv(f"{name}.csv")
"""


def _forks() -> Iterator[Entry]:
    run = "eduverse run four_sessions --sessions 2 --steps 6 --seed 5 -q --json --out course.study"
    changes = {
        "move": '--at 1:3 --move "Zhang Tao=r1_1"',
        "two moves": '--at 2 --move "Zhang Tao=28,18" --move "Wang Fang=3,3"',
        "trait": '--at 1:4 --trait "Liu Li.motivation=0.95"',
        "act": "--at 1:4 --act organising_discussion",
        "before the second lesson": '--at 2:0 --trait "Liu Li.motivation=0.05"',
        "in the second lesson": '--at 2:2 --move "Li Wei=r1_1"',
        "all at once": '--at 1:2 --move "Li Wei=r1_1" --trait "Zhang Jie.ability=0.1" --act praising',
        "no change": "--at 1:2",
        "nowhere": '--at 1:3 --move "Zhang Tao=900,900"',
    }
    for name, change in changes.items():
        commands = (run, f"eduverse fork course.study {change} -q --json --report fork.html")
        yield Entry("fork", name, commands, may_refuse=name.startswith("no"))
    yield Entry(
        "fork",
        "of a fork, renamed and deleted",
        (
            run,
            f"eduverse fork course.study {changes['move']} -q --json",
            "python fork.py",
            "eduverse list course.study",
        ),
        files={"fork.py": _FORK_OF_A_FORK},
    )


_FORK_OF_A_FORK = """\
import json, subprocess, sys


def call(*words):
    done = subprocess.run([sys.executable, "-m", "eduverse_mesa", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


runs = json.loads(call("list", "course.study", "--json"))
[child] = [one["run"] for one in runs if one["parent"]]
print(call("fork", "course.study", child, "--at", "2:1", "--trait", "Li Wei.openness=0.9", "-q", "--json"))
call("rename", "course.study", child, "the first fork")
runs = json.loads(call("list", "course.study", "--json"))
[grandchild] = [one["run"] for one in runs if one["parent"] == child]
call("delete", "course.study", grandchild, "--yes")
"""


def _kept_studies() -> Iterator[Entry]:
    """Studies that earlier versions wrote: they open, and go on as they did."""
    for study in STUDIES:
        others = ("growth", "graphml", "xapi", "transcript", "parquet") if study.kind == "course" else ("transcript",)
        commands = [f"eduverse export {study.name} --all --format {form} --out {form}" for form in others]
        if study.kind != "collaboration":
            commands += [f"eduverse replay {study.name} --json"]
        yield Entry("study", f"{study.name} opened", tuple(commands), studies=(study.name,))
        if study.go_on:
            yield Entry("study", f"{study.name} gone on with", study.go_on, studies=(study.name,))

    for number in OLD_FORMATS:
        old = f"format_{number}.study"
        replayed = f"eduverse replay {old} --json"
        tried = (replayed, f"eduverse upgrade {old} --yes", replayed)
        yield Entry("study", f"format {number} brought up to date", tried, studies=(old,), may_refuse=True)


OLD_FORMATS = (2, 4, 5, 6, 8)
"""Formats of which a study is kept, as earlier versions wrote it. Some hold runs that are refused with a message."""


@dataclass(frozen=True)
class KeptStudy:
    """A study that is kept as a file, so that later versions can be tried with it."""

    name: str
    kind: str
    make: tuple[str, ...]
    """The commands that write it."""
    stop_after: int = 0
    """Interrupt the last command when so many steps are kept."""
    go_on: tuple[str, ...] = ()
    """Commands that go on with it."""


STUDIES = (
    KeptStudy(
        "lessons.study",
        "course",
        (
            "eduverse run first_lesson --steps 6 --seed 1 -q --out lessons.study",
            'eduverse fork lessons.study --at 1:3 --move "Zhang Tao=r1_1" -q',
            "eduverse run chinese_lesson --layout round --steps 5 --seed 2 -q --out lessons.study",
        ),
        go_on=("eduverse fork lessons.study --at 1:2 --act lecturing -q --json",),
    ),
    KeptStudy(
        "course.study",
        "course",
        ("eduverse run four_sessions --sessions 3 --steps 6 --seed 3 -q --out course.study",),
        go_on=('eduverse fork course.study --at 2:2 --trait "Liu Li.motivation=0.9" -q --json',),
    ),
    KeptStudy(
        "broken_off.study",
        "course",
        ("eduverse run four_sessions --sessions 3 --steps 20 --seed 4 -q --out broken_off.study",),
        stop_after=27,
        go_on=("eduverse resume broken_off.study -q --json",),
    ),
    KeptStudy(
        "learners.study",
        "tutoring",
        (
            "eduverse learner teach --curriculum middle_school_mathematics --learners 2 --seed 5 "
            '--set "grades=[6, 6]" -q --out learners.study',
        ),
        go_on=("eduverse learner go-on learners.study --after 3 -q --json",),
    ),
    KeptStudy(
        "learners_broken_off.study",
        "tutoring",
        ("eduverse learner teach --learners 2 --seed 6 -q --out learners_broken_off.study",),
        stop_after=60,
        go_on=("eduverse resume learners_broken_off.study -q --json",),
    ),
    KeptStudy(
        "groups.study",
        "collaboration",
        (
            "eduverse mathvc play steps_and_distance --watch --seed 7 --out groups.study",
            "eduverse mathvc play paint_mixture --seed 8 --out groups.study",
        ),
        go_on=("eduverse mathvc play --out groups.study --run paint_mixture-8",),
    ),
)


def _exports() -> Iterator[Entry]:
    runs = {
        "lesson": "eduverse run --layout collab --steps 5 --seed 21 -q --out runs.study",
        "course": "eduverse run four_sessions --sessions 2 --steps 4 --seed 22 -q --out runs.study",
        "learners": "eduverse learner teach mathematics_zh --learners 1 --seed 23 -q --out runs.study",
        "group": "eduverse mathvc play poster_frame_zh --watch --seed 24 --out runs.study",
    }
    forms = ("csv", "parquet", "jsonl", "growth", "graphml", "xapi", "transcript")
    for name, command in runs.items():
        written = [f"eduverse export runs.study --format {form} --out {form}" for form in forms]
        measured = ["eduverse measure transcript/01-spring_1.csv --json"] if name == "lesson" else []
        others = name in ("learners", "group")  # of which there is no growth log, network or statement
        yield Entry("export", name, (command, *written, *measured), may_refuse=others)
    replays = ("eduverse replay runs.study --to 1:3 --json", "eduverse replay runs.study --report again.html --json")
    yield Entry("export", "replays", (runs["course"], *replays, "eduverse replay runs.study --to 2:2"))


def _tutoring(catalogue: Catalogue) -> Iterator[Entry]:
    for tutoring in catalogue["tutoring"]:
        yield Entry("tutoring", tutoring, (f"eduverse learner teach {tutoring} --learners 1 {_QUIET} learners.study",))
    for curriculum in catalogue["curriculum"]:
        grades = range(1, 6) if curriculum.startswith("ngss") else range(6, 9)
        teach = f'eduverse learner teach --curriculum {curriculum} --set "grades=[{grades[0]}, {grades[-1]}]"'
        for grade in grades:
            where = f"--curriculum {curriculum} --grade {grade} --learners 2 --visits 1 --seed {grade}"
            for tutor in ("built-in", "tutors:telling", "tutors:asking"):
                yield Entry(
                    "tutoring",
                    f"{tutor} teaches grade {grade} of {curriculum}",
                    (f"eduverse tutor evaluate --tutor {tutor} {where} -q --json --out report",),
                    files={"tutors.py": _TUTORS},
                )
        yield Entry(
            "tutoring", f"without errors in {curriculum}", (f"{teach} --learners 1 --seed 3 --set arm=base -q --json",)
        )
    small = "--grade 2 --learners 3 --visits 1"
    yield Entry(
        "tutoring",
        "two tutors",
        (f"eduverse tutor compare built-in tutors:telling {small} -q --json --out report",),
        files={"tutors.py": _TUTORS},
    )
    yield Entry(
        "tutoring", "estimate", (f"eduverse tutor estimate --policy llm --set llm.model=gpt-4.1-mini {small} --json",)
    )
    teach = (
        "eduverse learner teach --curriculum middle_school_mathematics --learners 2 --seed 4 "
        '--set "grades=[6, 7]" -q --out learners.study'
    )
    yield Entry(
        "tutoring",
        "going on",
        (
            f"{teach} --json",
            "eduverse learner go-on learners.study --after 9 --every 2 --dialogues 2 --unit 7-NUM-1 -q --json",
            "eduverse learner go-on learners.study --after 5 -q --json",
        ),
    )


_TUTORS = """\
def telling(history, task):
    return f"Listen: {task['idea']}" if len(history) < 8 else "That was it. [end]"


def asking(history, task):
    turn = len(history) // 2
    questions = task["questions"]
    if turn >= 2 * len(questions) or task["turns_left"] == 0:
        return f"Let's sum up: {task['idea']} [end]"
    question = questions[turn // 2]
    return question if turn % 2 == 0 else f"{task['hint']} Once more: {question}"
"""


_STUDENT = {
    "en": (
        "hello, I am new here",
        "what do we have to find out?",
        "I think we have to multiply the two numbers",
        "",
        "I get 12, is that right?",
        "why do you think so?",
        "no, I don't agree, that is too much",
        "ok you are right",
        "",
        "",
        "so the answer is 3",
        "let us check it",
        "",
        "yes",
        "",
        "",
    ),
    "zh": (
        "你们好，我是新来的",
        "我们要求什么？",
        "我觉得要把两个数相乘",
        "",
        "我算出来是12，对吗？",
        "你为什么这样想？",
        "不对，我不同意，太大了",
        "好的，你说得对",
        "",
        "",
        "所以答案是3",
        "我们检查一下",
        "",
        "是的",
        "",
        "",
    ),
}


def _groups(catalogue: Catalogue) -> Iterator[Entry]:
    for problem in catalogue["problem"]:
        language = "zh" if problem.endswith("_zh") else "en"
        typed = "\n".join([*_STUDENT[language], "/quit", ""])
        play = f"eduverse mathvc play {problem} --seed"
        # The dialogue of a seat is short of a study's weight, so both go into one.
        yield Entry("group", f"{problem} watched", (f"{play} 1 --watch --out group.study", f"eduverse show {problem}"))
        yield Entry("group", f"{problem} with a student", (f"{play} 2 --out group.study",), typed=typed)
        yield Entry("group", f"{problem} as a plain chat", (f"{play} 3 --watch --set arm=vanilla --out group.study",))
    for group in catalogue["collaboration"]:
        for seed in (4, 5):
            command = f"eduverse mathvc play --group {group} --watch --seed {seed} --out group.study"
            yield Entry("group", f"{group} with seed {seed}", (command,))
    yield Entry(
        "group",
        "gone on with",
        (
            "eduverse mathvc play treat_bags --name Kim --seed 6 --out group.study",
            "eduverse mathvc play --out group.study --run treat_bags-6",
        ),
        typed="\n".join([*_STUDENT["en"][:5], "/quit", ""]),
    )


def _experiments() -> Iterator[Entry]:
    small = "--seeds 1 --engine serial -q"
    for number in (2, 1, 3, 4):
        command = f"eduverse experiment {number} --set steps=3 {small} --json --out found"
        yield Entry("experiment", f"eduverse {number}", (command,))
    for number in range(1, 6):
        yield Entry("experiment", f"simlearner {number}", (f"eduverse experiment simlearner-{number} {small} --json",))
    yield Entry("experiment", "mathvc", (f"eduverse experiment mathvc {small} --json --out found",))
    processes = "eduverse experiment 4 --set steps=3 --seeds 1 --engine processes --workers 2 -q --json"
    yield Entry("experiment", "eduverse 4 in two processes", (processes,))


def _studies_over_many_runs() -> Iterator[Entry]:
    fit = "--members 8 --assimilations 1 --lessons 1 --judge 2 --predict 0 --profiles 1 --workers 1"
    yield Entry("calibration", "small", (f"eduverse calibrate {fit} -q --json --out fit",))
    points = "--parameters 'attention.*' --set steps=3 --workers 1 -q --json"
    yield Entry("sensitivity", "morris", (f"eduverse sensitivity --seeds 1 --trajectories 2 {points} --out found",))
    sobol = "--method sobol --samples 4 --factors students=4:6 --factors interest=0.2:0.8 --seeds 1"
    yield Entry("sensitivity", "sobol", (f"eduverse sensitivity {sobol} --set steps=3 --workers 1 -q --json",))
    classes = "--lessons 4 --students 6-8 --steps 6 --workers 1 -q --json"
    yield Entry("realism", "small", (f"eduverse realism {classes} --out realism.html",))
    yield Entry("realism", "a lesson", (f"eduverse realism --lesson renaissance {classes}",))
    seat = "--seeds 2 --budget 6 --set steps=3 --workers 1 -q --json"
    yield Entry("seating", "engagement", (f"eduverse seat {seat} --out seats.yaml",))
    rules = '--objective engagement=0.6,calm=0.4 --apart "Zhang Jie,Liu Li" --front "Li Wei" --layouts round,collab'
    yield Entry("seating", "with rules", (f"eduverse seat {rules} {seat} --out seats.yaml",))
    transcript = "role,speaker,text\n" + "".join(
        f"teacher,Ms Li,Why is {n} half of {2 * n}?\nstudent,{who},Because {n} and {n} make {2 * n}.\n"
        for n, who in enumerate(("Ana", "Ben", "Cleo") * 8, 2)
    )
    files = {"lesson.csv": transcript}
    yield Entry("measure", "a transcript", ("eduverse measure lesson.csv --json", "eduverse measure lesson.csv"), files)
    yield Entry("realism", "own lessons", (f"eduverse realism --reference lesson.csv {classes}",), files)
    for words in (
        "--model gpt-4.1-mini --fidelity staged",
        "four_sessions --model gpt-4o-mini",
        "--policy words=llm,rest=embedded",
    ):
        yield Entry("estimate", words, (f"eduverse estimate {words} --steps 2 --json",))


_SWEEPS = {
    "rooms": "kind: sweep\nname: rooms\nscenario: first_lesson\n"
    "factors: {layout: [lecture, round], steps: [3], gate.threshold: {from: 0.4, to: 0.8, steps: 2}}\nseeds: 2\n",
    "drawn": "kind: sweep\nname: drawn\n"
    "factors:\n  settings.parameters.attention.base: {mean: 0.5, sd: 0.2, from: 0, to: 1}\n  steps: [3]\n"
    "  layout: [lecture, round]\ndesign: {latin_hypercube: 4, seed: 1}\nseeds: [3, 5]\nmeasure: [lessons, steps]\n",
    "peers": "kind: sweep\nname: peers\ncollaboration: alice_and_bob\n"
    "factors: {arm: [full, vanilla], problem: [steps_and_distance], peers.Alice.skill: [limited, advanced]}\n"
    "seeds: 2\n",
    "acts": "kind: sweep\nname: acts\ncollaboration: alice_and_bob\n"
    "factors: {problem: [paint_mixture], language: [en, zh]}\nseeds: 1\nmeasure: [acts]\n",
    "learners": "kind: sweep\nname: learners\ntutoring: growing_up\n"
    "factors: {arm: [full, base], learners: [1]}\nseeds: 1\n",
}


def _sweeps() -> Iterator[Entry]:
    for name, text in _SWEEPS.items():
        files = {f"{name}.yaml": text}
        run = f"eduverse sweep run {name}.yaml --out found -q --engine"
        report = ("eduverse sweep status found --json", "eduverse sweep report found --json --out found.html")
        yield Entry("sweep", f"{name} in series", (f"{run} serial", *report), files)
        if name in ("rooms", "peers"):
            yield Entry("sweep", f"{name} in two processes", (f"{run} processes --workers 2", *report), files)
            again = ("rm found/results/*0*.parquet", "eduverse sweep resume found --engine serial -q")
            yield Entry("sweep", f"{name} resumed", (f"{run} serial", *again, *report), files)


def _models() -> Iterator[Entry]:
    asked = "--model corpus-1 -q --json"

    def entry(name: str, *commands: str) -> Entry:
        return Entry("model", name, commands, asks_model=True)

    lesson = f"eduverse run --policy llm {asked} --out lesson.study"
    yield entry("lesson", f"{lesson} --steps 3")
    yield entry("lesson stage by stage", f"{lesson} --steps 2 --fidelity staged")
    yield entry("Chinese lesson", f"{lesson.replace('run', 'run chinese_lesson', 1)} --steps 2")
    yield entry("course", f"{lesson.replace('run', 'run four_sessions', 1)} --sessions 2 --steps 1")
    for policy in ("words=llm,rest=embedded", "teacher=llm,rest=embedded", "judge=llm,rest=embedded"):
        yield entry(policy, f"eduverse run --policy {policy} {asked} --steps 2 --out lesson.study")
    yield entry("one person", f'eduverse run --policy "@Liu Li=llm,rest=embedded" {asked} --steps 2 --out lesson.study')
    short = f"{lesson} --steps 1 --students 2"
    yield Entry(
        "model",
        "resumed with a larger budget",
        (f"{short} --budget-requests 4", "eduverse resume lesson.study --budget-requests 400 -q --json"),
        asks_model=True,
        may_refuse=True,
    )
    yield entry(
        "remembered",
        f"{lesson} --steps 2 --cache answers.cache",
        f"{lesson} --steps 2 --cache answers.cache --again",
        "rm answers.cache*",
    )
    small = '--curriculum middle_school_mathematics --learners 1 --set "grades=[6, 6]"'
    yield entry("learners", f"eduverse learner teach {small} --policy llm {asked} --out learners.study")
    yield entry(
        "Chinese learner",
        f"eduverse learner teach {small}".replace("_mathematics ", "_mathematics_zh ")
        + f" --policy learner=llm,rest=embedded {asked}",
    )
    talk = "--watch --model corpus-1 --seed 1 --out group.study"
    yield entry("group", f"eduverse mathvc play steps_and_distance --policy llm {talk}")
    yield entry("Chinese group", f"eduverse mathvc play steps_and_distance_zh --policy llm {talk}")
    yield entry(
        "plain chat", f"eduverse mathvc play paint_mixture --policy peers=llm,rest=embedded --set arm=vanilla {talk}"
    )
    tutor = "eduverse tutor evaluate --grade 2 --learners 1 --visits 1"
    yield entry("tutor's server", f"{tutor} --endpoint ENDPOINT --model corpus-1 -q --json --out report")
    yield entry("tutor", f"{tutor} --tutor built-in --policy llm --set llm.model=corpus-1 -q --json")


def _pages(catalogue: Catalogue) -> Iterator[Entry]:
    """Pages as they open, where there is a browser."""
    if not catalogue["browser"]:
        return
    read = "python tools/corpus/pages.py"
    studies = ("lessons.study", "groups.study")
    yield Entry("page", "dashboard", (f"{read} dashboard lessons.study",), studies=studies[:1])
    for who, option in (("student", ""), ("teacher", " --teachers")):
        for language in ("en", "zh"):
            accounts = f"eduverse mathvc import class.db names.txt{option} --language {language} --out {who}.passwords"
            commands = (
                "eduverse mathvc import class.db teacher.txt --teachers --out teachers.passwords",
                accounts,
                f"{read} class class.db kiwi {who}.passwords",
                "rm *.passwords class.db*",
            )
            files = {"names.txt": "kiwi\nplum\n", "teacher.txt": "Ms Li\n"}
            yield Entry("page", f"{who} in {language}", commands, files)


def _guides(catalogue: Catalogue) -> Iterator[Entry]:
    """The code of pages and notebooks, as a reader would run it."""
    for document in catalogue["document"]:
        yield Entry("guide", document, (f"python {document}",))


_OUTLINE = """\
Half of a number
Grade 3, mathematics, 40 minutes

Warm-up
- What is half of six?
  - Three.
- How do you know?
  - Three and three make six.

Together
- Fold the paper strip twice. How many parts are there?
  - Four.

Goals: say what a half is; find a half by sharing
"""
_OUTLINE_ZH = """\
课题：一半是多少
三年级数学

导入
- 六的一半是多少？
  - 三。
- 你怎么知道？
  - 三加三等于六。

新授
- 把纸条对折两次，有几份？
  - 四份。

目标：说出什么是一半；用平分的办法求一半
"""


def _documents() -> Iterator[Entry]:
    for kind in ("scenario", "layout", "class", "lesson", "problem", "sweep"):
        yield Entry("document", f"schema of a {kind}", (f"eduverse schema {kind}",))
    for language in ("en", "zh"):
        yield Entry("document", f"prompts in {language}", (f"eduverse prompts --language {language} --out prompts",))
    yield Entry("document", "list", ("eduverse list", "eduverse list --json"))
    for name, text in {"outline": _OUTLINE, "outline_zh": _OUTLINE_ZH}.items():
        drafted = (f"eduverse draft {name}.md --out lesson.yaml", "eduverse validate lesson.yaml")
        yield Entry("document", f"draft of {name}", drafted, {f"{name}.md": text}, may_refuse=True)
    sound = {"back_row.yaml": _BACK_ROW, **{f"{name}.yaml": text for name, text in _SWEEPS.items()}}
    yield Entry("document", "sound files", tuple(f"eduverse validate {name}" for name in sound), files=sound)
    wrong = {
        "unknown_key.yaml": _BACK_ROW.replace("seating", "seeting"),
        "unknown_seat.yaml": _BACK_ROW.replace("r1_1", "r9_9"),
        "beyond.yaml": _BACK_ROW.replace("threshold: 0.5", "threshold: 5"),
        "unknown_lesson.yaml": _BACK_ROW.replace("spring_2", "sprung_2"),
        "no_yaml.yaml": "name: [",
        "bad_sweep.yaml": _SWEEPS["rooms"].replace("lecture, round", "lecture, moon"),
    }
    yield Entry(
        "document", "files with mistakes", tuple(f"eduverse validate {name}" for name in wrong), wrong, may_refuse=True
    )
    yield Entry("document", "page of parameters", ("python tools/parameters-page --check",))
