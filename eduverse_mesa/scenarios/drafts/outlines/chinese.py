"""Acts in Chinese outlines: 学生……, 教师……, 请……, and verbs that begin a line."""

from __future__ import annotations

import re

from eduverse_mesa.scenarios.drafts.outlines.acts import Act
from eduverse_mesa.vocabulary import Doing

_FIRST = re.compile(
    r"^(?:然后|接着|接下来|再次|首先|其次|最后|随后|之后|现在|课前|课上|当堂|再|并|先|一起|共同|集体)+[，,、]?"
)
_CLASS = (
    r"(?:全班|全体|部分|个别|每位|每个|各|几名|几位|两名|一名)?(?:小组)?(?:学生|同学们|同学|孩子们|幼儿|大家|小组|各组|男女生|男生|女生|队员|小朋友们?|同桌|"
    r"两人一组|四人小组|每人)(?:们)?"
)
_STUDENTS = re.compile(rf"^(?:{_CLASS}|生(?=[自齐朗默读说回讨交独思观完练尝动]))(?:之间|内)?[：:，,]?(.+)$")
_TEACHER = re.compile(r"^(?:教师|老师|师(?!生))[：:，,]?(.+)$")
_TOGETHER = re.compile(r"^师生(?:共同|一起|互动|合作)?(.+)$")
_CAUSES = re.compile(rf"^(?:让|请|引导|组织|指导|要求|带领|鼓励|启发|安排|提示|指名|帮助|邀请|点名)(?:{_CLASS})?(.+)$")
_HOW = (
    r"(?:自由|分组|分角色|分小组|独立|合作|小组合作|小组|同桌|两两|两人|四人|齐声|大声|轻声|快速|认真|仔细|集体|自主|反复|有感情地|带着问题|用自己的话|动手|尝试|当堂|"
    r"试着|互相|相互|轮流|分别|全班|一边|边|指名|绕操场|原地|在[^，。]{1,12}[上里中下]|用[^，。]{1,10}|根据[^，。]{1,12}|结合[^，。]{1,12}|"
    r"围绕[^，。]{1,16}|按[^，。]{1,12}|把[^，。]{1,16}|将[^，。]{1,16}|对[^，。]{1,16})*"
)
_TASKS: tuple[tuple[Doing, re.Pattern[str]], ...] = (
    (
        "discuss",
        re.compile(
            rf"^{_HOW}(?:讨论|交流|辩论|议一议|说一说|谈一谈|谈谈|说说|聊聊|分享|商量|合作探究|合作学习|互评|探讨|探究)"
        ),
    ),
    ("summarise", re.compile(rf"^{_HOW}(?:总结|小结|归纳|回顾|梳理|复习|反思|概括)")),
    (
        "read",
        re.compile(
            rf"^{_HOW}(?:朗读|阅读|默读|诵读|齐读|自读|范读|跟读|初读|细读|精读|品读|速读|通读|读|观察|观看|看|听|欣赏|浏览|收听|聆听)"
        ),
    ),
    (
        "practise",
        re.compile(
            rf"^{_HOW}(?:练习|完成|写|抄写|默写|听写|背诵|背|画|圈|标|勾|找|填|做|计算|算|解答|解|证明|测量|量|实验|操作|制作|设计|尝试|思考|想一想|试|练|跑|跳|慢跑|快跑|走|"
            r"投|传|运球|拍球|踢|掷|跨|翻|滚|拉伸|热身|游戏|比赛|表演|扮演|演|唱|模仿|回答|仿写|仿照|造句|改写|续写|列举|列|比较|分类|连线|判断|预测|记录|记|查|搜集|收集|"
            r"汇报|展示自己|"
            r"展示作品|拼|搭|剪|贴|涂|选|填空|改错|翻译|复述|背出|动手|摆|数|估|口算|验证|推导|编)"
        ),
    ),
    ("manage", re.compile(rf"^{_HOW}(?:分组|排队|集合|站|坐|整队|报数|准备|拿出|打开|翻开|收拾|整理|放|解散|换|放松)")),
)
_NAMED: tuple[tuple[Doing, re.Pattern[str]], ...] = (
    ("discuss", re.compile(r"^(?:小组|课堂|全班|同桌)?(?:讨论|交流|辩论|合作)(?:[：:]|$)")),
    ("practise", re.compile(r"^(?:课堂|当堂|巩固|随堂|分层)?(?:练习|检测|测验|达标)(?:[：:]|$)|^(?:必做|选做)")),
    ("manage", re.compile(r"^(?:师生问好|上课问好|起立|下课|课间|点名)|^(?:课后|家庭)?作业(?:[：:]|$)")),
)
_TELLS = r"(?:讲解|讲述|讲授|说明|解释|告诉(?:学生|大家|同学们)?|介绍|强调|指出|明确|讲清|点明|补充|揭示|小结)"
_TELLING = re.compile(rf"^{_TELLS}[：:，,]?(.+)$")
_TEACHES = re.compile(
    r"^(?:出示|展示|播放|板书|演示|示范|提问|设问|追问|检查|点评|评价|评议|巡视|分发|发放|布置|导入|引入|引出|揭题|揭示|讲解|介绍|讲授|讲评|讲述|"
    r"纠正|表扬|强调|宣布|创设|激发|激趣|呈现|投影|说明|解释|谈话|过渡|点拨|补充|明确|出题|批改|收作业|反馈|指出|告诉|讲|教师|课件|多媒体|利用|通过)"
)
_FINITE = re.compile(
    r"是|使|让|会|能|可以|有|需要|叫|把|被|变|来自|等于|包括|表示|表现|属于|成为|得到|产生|形成|因为|所以|在于|大于|小于|不|都|"
    r"写出|体现|说明|要|必须|应该|应当|吸收|放出|由|位于|组成|称为|导致|取决于|围绕|没有|越"
)
_ASKS = re.compile(
    r"[，,；;、]?(?:教师|老师|师|并|再|然后|请)*(?:提问|设问|追问|发问|提出问题|问题|思考|想一想|讨论|问|出示问题|引导学生思考|让学生思考|谈话导入|谈话)$"
)
_ASIDE = re.compile(r"[，,；;](?:教师|老师|师(?!生)).+$")
_ENDING = "。！；.!; "


def read_act(text: str) -> Act | None:
    """The act that a sentence describes; None where it describes none."""
    plain = _FIRST.sub("", text.strip())
    for doing, words in _NAMED:
        if words.match(plain):
            return Act(doing, plain)
    for whose in (_CAUSES, _STUDENTS, _TOGETHER):
        if found := whose.match(plain):
            return _task(found[1]) or (Act("practise", found[1].strip(_ENDING)) if whose is not _TOGETHER else None)
    if found := _TEACHER.match(plain):
        return _teaching(found[1]) or Act("manage")
    return _teaching(plain) or _task(plain)


def without_asking(text: str) -> str:
    """Return the text before 提问：, without 提问：."""
    return _ASKS.sub("", text).strip("，,；;、 ")


def is_statement(text: str) -> bool:
    """A text that says something of something, no title of a topic."""
    return len(text) > 5 and bool(_FINITE.search(text))


def _task(text: str) -> Act | None:
    text = _ASIDE.sub("", _FIRST.sub("", text.strip()))
    for doing, words in _TASKS:
        if words.match(text) and not (doing == "practise" and _is_about(text)):
            return Act(doing, text.strip(_ENDING))
    return None


def _is_about(text: str) -> bool:
    """`数是……`, `解的个数等于……`: what begins like a verb and is what the sentence is about."""
    return bool(re.match(r"^.{1,8}?(?:是|等于|叫|表示|属于|称为|大于|小于|的[^，。]{1,6}(?:是|等于|叫|有))", text))


def _teaching(text: str) -> Act | None:
    if found := _TELLING.match(text):
        told = found[1].strip()
        if is_statement(told):
            return Act("explain", told=told)
        return Act("manage", about="no_statement")
    return Act("manage") if _TEACHES.match(text) else None
