"""Words that an outline is understood by, in English and Chinese, and words for what it leaves out."""

from __future__ import annotations

import re
from typing import NamedTuple

from eduverse_mesa.scenarios.lesson import Doing, PhaseName
from eduverse_mesa.scenarios.people import Cognition

PHASES: dict[PhaseName, tuple[str, ...]] = {
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
"""Parts of headings by the phase they mean."""
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
              "用具", "教学用具", "人数"),
}  # fmt: skip
LABELS = {word: meaning for meaning, words in _MEANINGS.items() for word in words}
"""What stands before a colon, and its meaning for the rest of the line; an `aside` is not held in the lesson."""
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
    """What stands where an outline says nothing."""

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
    """What a question asks of a mind, by its words."""
    return next((level for level, words in _BLOOM if words.search(question)), "remember")


def press_of(question: str) -> str:
    """Whether a question wants a reason."""
    return "reasoning" if _WHY.search(question) else "accuracy"
