"""The lines of an outline: plain text, Markdown, or a table of commas, semicolons or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios.plain import UNWANTED
from eduverse_mesa.vocabulary import PHASES, Cognition, Doing, PhaseName
from eduverse_mesa.vocabulary.labels import label_of

PHASE_HEADINGS: dict[PhaseName, tuple[str, ...]] = {
    "introduction": ("intro", "warm-up", "warm up", "warmup", "starter", "opening", "engage", "hook", "lead-in",
                     "导入", "引入", "热身", "新课导入", "激趣", "准备部分"),
    "consolidation": ("consolidat", "discuss", "deepen", "elaborat", "check understanding", "review", "巩固", "探究",
                      "讨论", "深化", "品读", "合作"),
    "practice": ("practi", "exercise", "apply", "application", "group work", "independent work", "main activity",
                 "game", "练习", "运用", "应用", "操练", "拓展", "训练", "基本部分"),
    "summary": ("summar", "wrap", "closing", "conclu", "plenary", "reflect", "exit", "homework", "cool-down",
                "cool down", "小结", "总结", "结课", "作业", "反思", "归纳", "结束部分", "放松"),
    "instruction": ("instruct", "new content", "teach", "present", "input", "explain", "explor", "develop", "main part",
                    "讲授", "新授", "讲解", "学习新知", "精讲", "新课", "初读", "感知", "新知"),
}  # fmt: skip
"""Parts of headings by the phase they mean. Of a phase that is not here no part of an outline is taken by its place."""
HEADINGS: Mapping[PhaseName, tuple[str, ...]] = PHASE_HEADINGS | {
    phase: (label_of(phase, "en").casefold(), label_of(phase, "zh")) for phase in PHASES if phase not in PHASE_HEADINGS
}
"""The same for every phase: one of which nothing is said above is meant by its label."""
GOALS = ("goal", "objective", "learning outcome", "aims", "success criteria", "教学目标", "学习目标", "目标")
ENDS: dict[str, PhaseName] = {
    "start": "introduction", "begin": "introduction", "beginning": "introduction", "开始": "introduction",
    "开头": "introduction", "end": "summary", "ending": "summary", "finish": "summary", "结束": "summary",
    "结尾": "summary", "尾声": "summary",
}  # fmt: skip
"""Headings that mean a phase as a whole, and nothing as a part of another word."""
CONTAINERS = ("procedure", "lesson plan", "outline", "sequence", "activities", "教学过程", "教学流程", "教学步骤",
              "教学环节", "活动过程")  # fmt: skip
"""Headings above all phases."""
_MEANINGS: dict[str, tuple[str, ...]] = {
    "title": ("title", "lesson", "lesson plan", "plan", "topic", "lesson title", "theme", "课题", "题目", "主题",
              "活动名称"),
    "goal": ("goal", "goals", "objective", "objectives", "aim", "aims", "learning objective", "learning objectives",
             "目标", "教学目标", "活动目标", "学习目标"),
    "question": ("question", "ask", "q", "key question", "问题", "提问", "问", "设问", "思考", "追问"),
    "answer": ("answer", "a", "expected answer", "possible answer", "答案", "答", "预设", "参考答案", "预设回答",
               "学生可能回答"),
    "because": ("because", "reason", "why", "理由", "原因", "因为"),
    "misconception": ("misconception", "common error", "common mistake", "likely mistake", "误区", "易错", "易错点",
                      "常见错误"),
    "idea": ("idea", "key idea", "fact", "definition", "rule", "知识点", "要点", "结论", "定义"),
    "task": ("task", "activity", "students", "pupils", "learners", "student activity", "活动", "任务", "学生活动",
             "学生"),
    "homework": ("homework", "作业", "课后作业", "家庭作业"),
    "teacher": ("t", "teacher", "teacher activity", "师", "教师", "老师", "教师活动"),
    "student": ("s", "ss", "生"),
    "aside": ("material", "materials", "resource", "resources", "equipment", "class", "grade", "year", "date", "time",
              "duration", "length", "subject", "level", "differentiation", "assessment", "vocabulary", "key words",
              "keywords", "key vocabulary", "prior knowledge", "standard", "standards", "safety", "note", "notes",
              "group size", "age", "unit", "room", "place", "教具", "学具", "教学准备", "课前准备", "活动准备", "课时",
              "课时安排", "年级", "班级", "教学重点", "教学难点", "教学重难点", "重点", "难点", "重难点", "教学方法",
              "教法", "学法", "教材", "教材分析", "学情分析", "板书设计", "板书", "课型", "授课教师", "执教",
              "授课时间", "设计意图", "教学反思", "科目", "学科", "对象", "场地", "器材", "场地器材",
              "用具", "教学用具", "人数", "备注", "注", "说明", "注意事项"),
}  # fmt: skip
LABELS = {word: meaning for meaning, words in _MEANINGS.items() for word in words}
"""Labels before a colon, and their meanings for the rest of the line; an `aside` is not held in the lesson."""
COLUMNS = {
    "phase": "phase", "stage": "phase", "part": "phase", "section": "phase", "阶段": "phase", "环节": "phase",
    "activity": "activity", "activities": "activity", "content": "activity", "text": "activity", "what": "activity",
    "活动": "activity", "内容": "activity", "教学活动": "activity", "教师活动": "activity", "procedure": "activity",
    "teacher activity": "activity", "teacher activities": "activity", "teacher": "activity", "教学内容": "activity",
    "teaching activity": "activity", "what the teacher does": "activity", "description": "activity",
    "student activity": "task", "student activities": "task", "students": "task", "pupils": "task",
    "learner activity": "task", "pupil activity": "task", "what students do": "task", "学生活动": "task",
    "教学环节": "phase", "教学过程": "phase", "步骤": "phase", "流程": "phase", "时长": "minutes", "用时": "minutes",
    "minutes": "minutes", "min": "minutes", "time": "minutes", "duration": "minutes", "时间": "minutes",
    "分钟": "minutes",
    "kind": "doing", "type": "doing", "form": "doing", "形式": "doing", "类型": "doing",
    "question": "question", "questions": "question", "问题": "question", "提问": "question",
    "answer": "answer", "答案": "answer", "because": "because", "reason": "because", "理由": "because",
    "misconception": "misconception", "误区": "misconception",
}  # fmt: skip
"""Headers of a table by what the column holds."""
DOINGS: dict[Doing, tuple[str, ...]] = {
    "discuss": ("discuss", "debate", "talk", "group", "pair", "讨论", "交流", "合作", "辩论"),
    "read": ("read", "look", "watch", "listen", "朗读", "阅读", "观看", "听", "读"),
    "practise": ("practi", "exercise", "work", "write", "task", "练习", "写", "做", "活动"),
    "summarise": ("summar", "recap", "review", "总结", "小结", "归纳", "回顾"),
    "manage": ("organi", "manage", "homework", "组织", "管理", "作业"),
}
"""Words of a table's column for the form of an activity."""


class Fillings(NamedTuple):
    """Texts for the parts that an outline leaves out."""

    subject: str
    genre: str
    title: str
    goal: str
    idea: str
    question: str
    because: str
    partial: str


FILLINGS = {
    "en": Fillings(
        subject="general",
        genre="outline",
        title="Lesson",
        goal="Say in own words what this lesson is about: {title}",
        idea="What we found out about: {about}",
        question="What have we found out in this lesson?",
        because="that is what we have worked out together",
        partial="I only remember a part of it: {beginning} …",
    ),
    "zh": Fillings(
        subject="综合",
        genre="提纲",
        title="一节课",
        goal="能用自己的话说出这节课的内容：{title}",
        idea="我们弄清楚了：{about}",
        question="这节课我们弄明白了什么？",
        because="这是我们一起在课上弄明白的",
        partial="我只记得一部分：{beginning}……",
    ),
}
_COMMON = frozenset(
    re.findall(
        "[a-z]+",
        "about after again also because been before being between both cannot could does doing down each from have "
        "having here into itself just like made make many more most much must only other over same should show shows "
        "some such than that their them then there these they this those through under until very were "
        "what when where "
        "which while will with would your students student pupils class teacher lesson explain introduce tell write "
        "read turns does know",
    )
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_RUNS = re.compile(r"[\u3400-\u9fff]+")
_SMALL = re.compile(r"[的了是在和与把被对从到让使就也都很还又而且及吗呢吧啊请我们你们他们学生老师教师这那什么怎么为]+")
_WHY = re.compile(r"\b(?:why|how come|explain)\b|为什么|为何|怎么会", re.IGNORECASE)
_REASON = re.compile(r"^(?:because\b|因为|由于)", re.IGNORECASE)
_BECAUSE = re.compile(r"^(?:because\b(?! of\b)|因为|由于)\s*[,，:：]?\s*(?=\S)", re.IGNORECASE)
_BLOOM: tuple[tuple[Cognition, re.Pattern[str]], ...] = (
    ("create", re.compile(r"\b(?:design|invent|imagine|what if|compose)\b|设计|想象|如果", re.IGNORECASE)),
    (
        "evaluate",
        re.compile(r"\b(?:do you agree|which is better|judge|should|evaluate)\b|同意|评价|更好|应该", re.IGNORECASE),
    ),
    ("analyse", re.compile(r"\b(?:compare|difference|relate|analyse|analyze)\b|比较|区别|关系|分析", re.IGNORECASE)),
    ("apply", re.compile(r"\b(?:calculate|solve|use|how many|how much|work out)\b|计算|多少|怎样用|求", re.IGNORECASE)),
    ("understand", re.compile(r"\b(?:why|how|explain|meaning|mean)\b|为什么|怎样|怎么|意思|说明", re.IGNORECASE)),
)


def language_of(text: str) -> str:
    """Chinese where at least every fifth letter is a Chinese one."""
    letters = sum(character.isalpha() for character in text)
    return "zh" if letters and len(_HAN.findall(text)) * 5 >= letters else "en"


def keywords_of(text: str, most: int = 4) -> tuple[str, ...]:
    """The words of a line that say most: the longest ones that are not in every sentence, in their order."""
    words = [word for word in re.findall(r"[^\W\d_][\w'-]{3,}", text) if not _HAN.search(word)]
    words = [word for word in words if word.casefold() not in _COMMON]
    for run in _RUNS.findall(text):
        words += [piece[:6] for piece in _SMALL.split(run) if len(piece) > 1]
    unique = list({word.casefold(): word[:80] for word in words}.values())
    best = sorted(unique, key=len, reverse=True)[:most]
    return tuple(word for word in unique if word in best)


def keeps_reason(text: str) -> bool:
    """It begins with because."""
    return _REASON.match(text) is not None


def without_because(text: str) -> str:
    """A reason as a statement: without the because that it begins with."""
    rest = _BECAUSE.sub("", text).strip()
    return rest[:1].upper() + rest[1:] if rest and rest != text else text


def bloom_of(question: str) -> Cognition:
    """Return the level of thinking that a question asks for, by its words."""
    return next((level for level, words in _BLOOM if words.search(question)), "remember")


def press_of(question: str) -> str:
    """Return the press of a question: "reasoning" if it wants a reason, otherwise "accuracy"."""
    return "reasoning" if _WHY.search(question) else "accuracy"


MOST_LINES = 400
MOST_LETTERS = 100_000
_BULLET = re.compile(
    r"^(?:[-*+•·–—▪●○]\s+|[(（]?\d{1,2}[)、）．]\s*|\d{1,2}\.(?!\d)\s*|[①-⑳]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*|"
    r"[(（][一二三四五六七八九十]{1,3}[)）]\s*|"
    r"[a-zA-Z][.)]\s+|[IVX]{1,4}\.\s+)"
)
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)、]|[一二三四五六七八九十]{1,3}、|[IVX]{1,4}\.)\s*\S")
_PART = re.compile(r"^[一二三四五六七八九十]{1,3}[、.．]\s*\S")
_POINT = re.compile(r"^(?:[-*+•·–—▪●○]\s|[(（]?\d{1,2}[.)、）．])")
_LABEL = re.compile(r"^([^:：]{1,24})[:：]\s*(.+)$")
_COUNTED = re.compile(r"^(?:#+\s*)?(\d{1,2})(?:[.)、．]|）)(?!\d)\s*\S")
_CLOSED = ("?", "？", ".", "。", "!", "！")
"""Signs that no heading ends with."""
_NOTE = re.compile(
    r"^\W*(?:(?-i:TODO|TO DO|TBD|FIXME|XXX)\b|to-?do\s*[:：]|note to (?:self|myself)\b|don['’]?t forget\b|"
    r"待办|待定|待补|备忘|别忘了?|提醒自己)",
    re.IGNORECASE,
)
"""How a note to oneself begins."""
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>，。；、）)]+", re.IGNORECASE)
_MOST_BESIDE = 3
"""Words beside a web address: more of them say something."""
_LONGEST_HEADING = 80
_UNIT = r"(?:minutes?|mins?\b\.?|m\b|分钟|分|['′’])"
_MINUTES = re.compile(
    rf"[(（\[]\s*(?:约|about |approx\.? |ca\.? )?(\d{{1,3}})\s*{_UNIT}\s*[)）\]]|"
    rf"(?<![\d.])\b(\d{{1,3}})\s*(?:minutes?|mins?\b\.?|分钟)\s*$",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    rf"^[(（\[]?\s*(\d{{1,3}})(?:[:：.](\d\d))?\s*(?:min\.?)?\s*[-–—~～到至]\s*(\d{{1,3}})(?:[:：.](\d\d))?\s"
    rf"*{_UNIT}?\s*[)）\]]?\s*[:：.\-–—|]?\s+(?=\D)",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"^[(（\[]?\s*(\d{{1,3}})\s*{_UNIT}\s*[)）\]]?\s*[:：.\-–—|]?\s*(?=\D)", re.IGNORECASE)


class Line(NamedTuple):
    """A line with its number from 1. `level` is how much of a heading it is (0: none, 1: the highest)."""

    number: int
    shown: str
    text: str
    level: int = 0
    label: str = ""
    doing: str = ""
    minutes: float = 0.0
    timed: bool = False
    """It begins with a time, as each part of a plan by the clock does."""
    depth: int = 0
    """How far it is indented."""


def read_lines(text: str) -> list[Line]:
    """The lines that say something; ScenarioError for more than an outline has."""
    text = UNWANTED.sub("", text)
    rows = text.splitlines()
    if len(text) > MOST_LETTERS or len(rows) > MOST_LINES:
        raise ScenarioError(
            f"the outline has {len(rows)} lines and {len(text):,} letters.",
            mend=f"{MOST_LINES} lines and {MOST_LETTERS:,} letters are the most: shorten it.",
        )
    table = _read_table(rows)
    return list(_from_table(*table) if table else _from_text(rows))


def _from_text(rows: list[str]) -> Iterator[Line]:
    counted = _counted_headings(rows)
    parts_alone = sum(_stands_alone(rows, number) for number in range(1, len(rows) + 1))
    for number, row in enumerate(rows, 1):
        bare = row.strip()
        if not bare or set(bare) <= set("-=_*#~|:+ "):
            continue
        after = next((later for later in rows[number:] if later.strip()), "")
        heading = number in counted or _names_end(bare) or (parts_alone > 1 and _stands_alone(rows, number))
        yield _one(number, row, bare, after, heading)._replace(depth=_indent(row))


def _one(number: int, row: str, bare: str, after: str, heading: bool) -> Line:
    shown = bare[:120]
    if label := _kept_beside(bare):
        return Line(number, shown, _BULLET.sub("", bare).strip(" *_") or bare, 0, label)
    if bare.startswith("#"):
        level = len(bare) - len(bare.lstrip("#"))
        text, minutes = split_minutes(bare.lstrip("#").strip(" *_:："))
        if _NUMBERED.match(text):  # one of several parts is not above all of them
            level, text = max(level, 2), _BULLET.sub("", text).strip() or text
        return Line(number, shown, text, level, minutes=minutes)
    text = _BULLET.sub("", bare).strip(" *_") or bare
    text, clock, timed = _split_clock(text)
    is_heading = heading or _is_heading(bare, row, after)
    text, said = split_minutes(text)
    is_heading = is_heading or (bool(said) and _is_short(bare, text))
    minutes = clock or said
    if (match := _LABEL.match(text)) and (label := LABELS.get(match[1].strip(" *_").casefold(), "")):
        return Line(number, shown, match[2].strip(" *_"), 0, label, minutes=minutes)
    alone = LABELS.get(text.strip(" *_:：").casefold())
    if alone in ("aside", "goal"):  # a heading that says what stands below it
        return Line(number, shown, text.strip(" *_:："), 2, "aside" if alone == "aside" else "")
    if is_heading and not timed:
        return Line(number, shown, text.strip(" *_:："), 2, minutes=minutes)
    return Line(number, shown, text, minutes=minutes, timed=timed)


def _kept_beside(bare: str) -> str:
    """`note` for a note to oneself, `material` for a web address or a row of a table; empty for what is held."""
    if _NOTE.match(bare):
        return "note"
    if bare.startswith("|") and bare.count("|") > 1:
        return "material"
    rest, addresses = _ADDRESS.subn(" ", bare)
    return "material" if addresses and len(re.findall(r"\w+", rest)) <= _MOST_BESIDE else ""


def _names_end(bare: str) -> bool:
    """`3. End`: a counted line that says nothing but that something begins or ends."""
    return bool(_NUMBERED.match(bare)) and _BULLET.sub("", bare).strip(" *_:：").casefold() in ENDS


def _counted_headings(rows: list[str]) -> set[int]:
    """Numbers of the rows that are headings because they are counted.

    Where several are counted 一、二、三、, each is above what follows it. Those that are counted 1. 2. 3. are headings
    where what belongs to them stands below the first and below most of them, and they are a list of points where not.
    """
    parts = {number for number, row in enumerate(rows, 1) if _PART.match(row.strip())}
    found = parts if len(parts) > 1 else set()
    said = [(number, row.rstrip()) for number, row in enumerate(rows, 1) if row.strip()]
    places = [place for place, (_, row) in enumerate(said) if _COUNTED.match(row)]
    values = [int(match[1]) for place in places if (match := _COUNTED.match(said[place][1]))]
    if len(places) < 2 or values != list(range(1, len(values) + 1)):
        return found
    if any(said[place][1].endswith(_CLOSED) or len(said[place][1]) > _LONGEST_HEADING for place in places):
        return found
    filled = [after - place > 1 for place, after in zip(places, [*places[1:], len(said)], strict=True)]
    if filled[0] and sum(filled) * 2 >= len(filled):
        found = found | {said[place][0] for place in places}
    return found


def split_minutes(text: str) -> tuple[str, float]:
    """A text without the minutes that it names, and those."""
    match = _MINUTES.search(text)
    if match is None:
        return text, 0.0
    rest = (text[: match.start()].rstrip(" ,;:：-–—") + " " + text[match.end() :].lstrip(" ,;：:-–—")).strip()
    return rest or text, float(match[1] or match[2])


def _split_clock(text: str) -> tuple[str, float, bool]:
    """A line without the time that it begins with: 0-5, 9:00-9:10, 5 min, 5'."""
    if match := _CLOCK.match(text):
        hours = [match[1], match[3]]
        begin, end = (_minutes_of(hour, more) for hour, more in zip(hours, (match[2], match[4]), strict=True))
        return text[match.end() :].strip() or text, max(0.0, end - begin), True
    if match := _BEFORE.match(text):
        return text[match.end() :].strip() or text, float(match[1]), True
    return text, 0.0, False


def _minutes_of(hour: str, more: str | None) -> float:
    return float(hour) * 60 + float(more) if more else float(hour)


def _is_heading(bare: str, row: str, after: str) -> bool:
    """A short line that ends in a colon, or stands out with bullets or deeper lines below it."""
    if len(bare) > _LONGEST_HEADING or bare.endswith(_CLOSED):
        return False
    if bare.endswith((":", "：")) or (bare.startswith("**") and bare.endswith("**")):
        return True
    bulleted = bool(re.match(r"^[-*+•·–—▪●○]\s", bare))
    goes_deeper = _indent(after) > _indent(row) or bool(re.match(r"^\s*[-*+•·–—▪●○]\s", after))
    return not bulleted and goes_deeper and _indent(row) == 0 and (bool(_NUMBERED.match(bare)) or not bulleted)


def _stands_alone(rows: list[str], number: int) -> bool:
    """A few words under an empty line, and right above what belongs to them: the name of a part."""
    row = rows[number - 1]
    above = rows[number - 2].strip() if number > 1 else "x"
    below = rows[number].strip() if number < len(rows) else ""
    return bool(row.strip() and below and not above) and _indent(row) == 0 and _is_short(row.strip(), row.strip())


def _is_short(bare: str, text: str) -> bool:
    """A few words that stand alone with their minutes, and no point of a list: `Introduction - 10 minutes`."""
    few = len(text.split()) <= 4 and len(text) <= 24
    return few and not text.endswith(_CLOSED) and not _POINT.match(bare)


def _indent(row: str) -> int:
    return len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip())


# --- tables ---


def _read_table(rows: list[str]) -> tuple[dict[str, int], list[tuple[int, list[str]]]] | None:
    """Columns by what they hold, and the rows below the header, if the first row is the header of a table."""
    first = next(((place, row) for place, row in enumerate(rows) if row.strip()), None)
    if first is None:
        return None
    for separator in ("\t", ";", "；", ",", "，", "|"):
        header = [cell.strip().casefold() for cell in _split(first[1], separator)]
        columns = {COLUMNS[cell]: place for place, cell in enumerate(header) if cell in COLUMNS}
        if len(header) > 1 and "activity" in columns:
            below = [(number, _split(row, separator)) for number, row in enumerate(rows, 1) if number > first[0] + 1]
            return columns, below
    return None


def _cell(number: int, shown: str, text: str, label: str = "", doing: str = "") -> Line:
    """A cell of a table, which may begin with a label of its own: `Answer: iron`."""
    if (match := _LABEL.match(text)) and (own := LABELS.get(match[1].strip().casefold())):
        return Line(number, shown, match[2].strip(), 0, own)
    return Line(number, shown, text, label=label, doing=doing)


def _first_number(text: str) -> float:
    """Minutes of a cell: 5, 5 min, 0-5."""
    _, clock, timed = _split_clock(f"{text} x")
    found = re.search(r"\d{1,3}", text)
    return clock if timed and clock else float(found[0]) if found else 0.0


def _split(row: str, separator: str) -> list[str]:
    if separator == "|":
        row = row.strip().strip("|")
    try:
        return next(csv.reader([row], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return row.split(separator)


def _from_table(columns: dict[str, int], rows: list[tuple[int, list[str]]]) -> Iterator[Line]:
    phase = ""
    for number, cells in rows:
        row = {what: cells[place].strip() for what, place in columns.items() if place < len(cells)}
        if not any(row.values()) or set("".join(row.values())) <= set("-=: "):
            continue
        shown = " | ".join(value for value in row.values() if value)[:120]
        if row.get("phase") and row["phase"] != phase:
            phase = row["phase"]
            yield Line(number, phase, phase, 2, minutes=_first_number(row.get("minutes", "")))
        if row.get("activity"):
            yield _cell(number, shown, row["activity"], doing=row.get("doing", ""))
        if row.get("task"):
            yield _cell(number, shown, row["task"], label="task")
        for label in ("question", "answer", "because", "misconception"):
            if row.get(label):
                yield Line(number, shown, row[label], label=label)
