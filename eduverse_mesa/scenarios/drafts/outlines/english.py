"""Acts in English outlines: imperatives, and sentences about what students and teachers do."""

from __future__ import annotations

import re

from eduverse_mesa.scenarios.drafts.outlines.acts import Act
from eduverse_mesa.vocabulary import Doing


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DISCUSS = _words(
    "argue brainstorm chat compare confer converse debate discuss exchange interview negotiate share talk vote"
)
_READ = _words("browse explore follow hear inspect listen look notice observe read see skim study view watch")
_SUMMARISE = _words("conclude consolidate recall recap reflect review revise summarise summarize sum wrap")
_MANAGE = _words(
    "arrange arrive assemble bring change choose clean clear close collect cool enter form gather get go leave line "
    "meet move open organise organize pack pick put return rotate settle sit split stand stay stop swap switch take "
    "tidy turn wait warm wash"
)
_PRACTISE = _words(
    "clap connect continue decide discover feel hide lift mix pour press pull push reply shout smell tap taste whisper "
    "act add analyse analyze annotate answer apply attempt balance bounce build calculate carry catch check circle "
    "classify code color colour complete compose construct convert copy correct count crawl create cut dance define "
    "describe design determine develop do dodge draft draw dribble edit estimate evaluate examine experiment explain "
    "express fill find finish fix fold formulate generate glue graph group guess hold hop identify illustrate imagine "
    "improve improvise infer invent investigate jog join jump justify keep kick label learn list locate make map "
    "march mark match measure memorise memorize mime model multiply name note number order outline paint pair "
    "paraphrase pass perform place plan play plot point practice practise predict prepare present produce prove quiz "
    "raise rank rate recite record repeat report represent research respond retell rewrite roll run say score search "
    "select sequence serve shoot show simplify sing sketch skip solve sort spell sprint stack step stretch suggest "
    "support swim test think throw time touch trace translate try tune type underline use volley walk work write"
)
_TEACH = _words(
    "activate address announce arouse ask assess assign assist call circulate clarify coach congratulate cover "
    "deliver demonstrate dictate display distribute divide elicit emphasise emphasize encourage engage ensure "
    "establish give go greet guide hand handout help highlight hold inform instruct introduce invite lead lecture let "
    "monitor motivate outline pause point praise pre-teach present project prompt provide recapitulate remind reveal "
    "review scaffold set show signal start state stress supervise teach tell thank walk welcome"
)
_TELL = _words(
    "clarify demonstrate describe emphasise emphasize establish explain highlight inform introduce lecture mention "
    "note outline point present remind reveal say show state stress teach tell"
)
_ADDRESS = re.compile(r"\byour\b", re.I)
_ALSO_TEACHERS = _words("collect correct draw play put take write")
_TO_CLASS = re.compile(
    r"\b(?:your|yours|yourself|yourselves|partner|pairs?|groups?|teams?|each other|one another|neighbou?r)\b"
)
_BY_TEACHER = re.compile(
    r"\b(?:board|whiteboard|slides?|projector|screen|handouts?|register|video|clip|film|song|audio|"
    r"recording|the class|students|pupils|children|learners)\b"
)
_FIRST = re.compile(
    r"^(?:and |then,? |now,? |next,? |first,? |second,? |third,? |finally,? |lastly,? |after that,? |"
    r"afterwards,? |please |together,? |briefly |quickly |quietly |silently |again,? )+",
    re.I,
)
_CLASS = (
    r"(?:(?:the |all |some |two |three |four |each |every |other |whole |of the )*(?:students?|"
    r"pupils?|children|learners?|kids|class|groups?|teams?|pairs?|partners?|volunteers?|participants?|"
    r"everybody|everyone|them|they|ss|sts?)\b)"
)
_STUDENTS = re.compile(
    rf"^{_CLASS}\s*[:,]?\s+(?:(?:will|should|must|can|may|then|now|first|have to|are to|are asked to|"
    rf"get to|also|each|all|in turn|take turns to)\s+)*(.+)$",
    re.I,
)
_WE = re.compile(r"^(?:we|let's|let us)\s+(?:(?:will|shall|can|then|now|all|are going to)\s+)*(.+)$", re.I)
_TEACHER = re.compile(
    r"^(?:the teacher|teacher|i|t)\s*[:,]?\s+(?:(?:will|should|must|can|then|now|first|also)\s+)*(.+)$", re.I
)
_CAUSES = re.compile(
    rf"^(?:ask|have|get|let|make|tell|invite|encourage|help|allow|challenge|instruct|require|want|"
    rf"remind|call on|set)\s+{_CLASS}\s+(?:to\s+|for\s+)?(.+)$",
    re.I,
)
_NO_NOUNS = _words(
    "asks assigns circulates clarifies congratulates demonstrates distributes divides elicits emphasises emphasizes "
    "encourages explains greets hands helps instructs introduces invites lets monitors motivates provides reminds "
    "scaffolds supervises teaches tells thanks"
)
"""Third persons that are no plural of a noun: `Explains that ...` is an act, `States of matter` is none."""
_NO_SUBJECT = re.compile(r"^\w+\s+(?:of|and|on|in|are|is|have|need|with)\b", re.I)
_WHERE = re.compile(
    r"^((?:in|with|on|at|using|after|before|during|as|by|for|from|without)\b[^,.:;]{1,40}),\s*(.+)$", re.I
)
_ASIDE = re.compile(r"(?:[,;]?\s+and|[;,])\s+(?:then\s+)?(?:i|the teacher|teacher)\s+.+$", re.I)
_STATED = _words(
    "clarify describe emphasise emphasize explain highlight inform introduce lecture mention outline remind state "
    "stress teach tell"
)
_THAT = re.compile(
    rf"^(?:\w+(?:\s+out)?)(?:\s+(?:to|for|with)?\s*{_CLASS})?\s*(?:the (?:idea|fact|concept|rule) "
    rf")?(?:,\s*)?(?:(that)\s+|[:：]\s*)(.+)$",
    re.I,
)
_NOUNS: tuple[tuple[Doing, re.Pattern[str]], ...] = (
    (
        "discuss",
        re.compile(
            r"^(?:(?:class|group|pair|small|whole|open|short|guided|panel|plenary|socratic)[ "
            r"-]*)*(?:discussion|debate|seminar|brainstorming|talk|circle time|feedback|sharing)\b|^think[ "
            r"-]pair[ -]share|^(?:pair|partner|group)[ -]?work\b|^jigsaw\b",
            re.I,
        ),
    ),
    (
        "read",
        re.compile(
            r"^(?:(?:silent|shared|guided|short)\s+)*(?:reading(?! (?:the|a|an|this|your)\b)|video|film|clip|"
            r"demonstration|picture|listening)\b",
            re.I,
        ),
    ),
    ("summarise", re.compile(r"^(?:recap|summary|review|reflection|plenary|exit (?:ticket|slip|card))\b", re.I)),
    (
        "practise",
        re.compile(
            r"^(?:(?:individual|independent|short|quick|written|oral|guided|small|mini|class|group|warm[ "
            r"-]?up|cool[ -]?down)[ -]*)*(?:practice|quiz|exercises?|worksheets?|role[ -]?play|games?|"
            r"experiment|drill|relay|activity|task|test|seatwork|stations?|circuit|stretch(?:es|ing)?|"
            r"jog(?:ging)?|gallery walk)\b",
            re.I,
        ),
    ),
    (
        "manage",
        re.compile(
            r"^(?:homework|register|attendance|greetings?|welcome|tidy[ -]?up|clean[ -]?up|break|transition)\b", re.I
        ),
    ),
)
_FINITE = re.compile(
    r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bof )(?<!\bto )(?<=\w )\b(?:is|are|was|were|has|have|had|can|"
    r"could|will|would|may|might|must|should|do|"
    r"does|did|cannot|isn't|aren't|don't|doesn't|becomes?|became|comes?|came|consists?|contains?|"
    r"depends?|equals?|fell|follows?|gets?|gives?|"
    r"gave|goes|went|grows?|grew|happens?|keeps?|kept|knows?|lives?|lost|made|makes?|means?|meant|"
    r"moves?|needs?|needed|produces?|protects?|"
    r"provides?|says?|said|tells?|thinks?|thought|takes?|took|turns?|turned|uses?|used|wants?|"
    r"conducts?|absorbs?|boils?|freezes?|melts?)\b(?=\s\w)",
    re.I,
)
_SAYS = re.compile(
    r"^\s*(?:requires|equals|travels|consists|contains|depends|is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|did|means|"
    r"makes|causes|helps|gives|needs|"
    r"keeps|turns|and \w+ are|of [\w ]{1,30} (?:is|are))\b"
)
"""Words that follow the subject of a statement, and no verb in the imperative."""
_SENTENCE = re.compile(r"^[A-Z\"“'(0-9].*[.!]$")
_ASKS = re.compile(
    r"[,;]?\s*(?:\b(?:and|then)\s+)*(?:\b(?:teacher|i)\s+)?\b(?:asks?|asking|think about|consider|"
    r"discuss|elicit|question|prompt|q)\b(?:\s+" + _CLASS + r")?(?:\s+(?:together|in pairs|about this))?\s*$",
    re.I,
)


def read_act(text: str) -> Act | None:
    """The act that a sentence describes; None where it describes none."""
    plain = _FIRST.sub("", text.strip()).strip()
    if (found := _WHERE.match(plain)) and (act := _read(found[2])) is not None:
        said = f"{found[1]}, {act.said[:1].lower()}{act.said[1:]}" if act.said else ""
        return act._replace(said=_capital(said), doing="discuss" if act.doing == "discuss" else act.doing)
    if (act := _read(plain)) is None and _ADDRESS.search(plain):  # "Your partner guesses the word."
        return Act("practise", _capital(plain))
    return act


def _read(plain: str) -> Act | None:
    for doing, words in _NOUNS:
        if (found := words.match(plain)) and not _SAYS.match(plain[found.end() :]):
            return Act(doing, _capital(plain))
    if (found := _CAUSES.match(plain)) and not found[1].casefold().startswith("that "):
        return _task(found[1]) or Act("manage")
    if found := _STUDENTS.match(plain):
        begins = re.match(r"(?:are|begin|start|receive|get|have to|continue)\b", found[1])
        return _task(found[1]) or (Act("manage") if begins else None)
    if found := _WE.match(plain):
        return _task(found[1]) or Act("manage")
    if found := _TEACHER.match(plain):
        return _teaching(found[1]) if _verb(found[1]) else None
    return _imperative(plain)


def _imperative(plain: str) -> Act | None:
    verb = _verb(plain)
    if not verb or _SAYS.match(plain.partition(" ")[2]):  # "Work is force times distance."
        return None
    first = re.split(r"\W", plain.casefold(), maxsplit=1)[0]
    if first not in _NO_NOUNS and first != verb and not first.endswith("ing"):
        # "Shows a photo", but "Plants need water", "States of matter"
        if verb not in _TEACH or _NO_SUBJECT.match(plain):
            return None
        return _teaching(plain)
    if _ADDRESS.search(plain):  # "Tell your partner ..."
        return Act(_doing(verb, plain), _capital(plain))
    if verb not in _TEACH | _TELL or (verb in _PRACTISE | _READ | _DISCUSS | _SUMMARISE and _TO_CLASS.search(plain)):
        by_teacher = verb in _ALSO_TEACHERS and _BY_TEACHER.search(plain)
        return Act("manage") if by_teacher else _task(plain)
    return _teaching(plain)


def without_asking(text: str) -> str:
    """Return the text before `ask:`, without `ask:`."""
    return _ASKS.sub("", text).strip(" ,;")


def is_statement(text: str) -> bool:
    """A text that says something of something: a sentence with a verb, no title of a topic."""
    return len(text.split()) > 2 and bool(_FINITE.search(text) or _SENTENCE.match(text))


def _task(text: str) -> Act | None:
    """Return the task of the class, in words that can be said to it; None if the text holds no task."""
    text = _FIRST.sub("", text.strip())
    verb = _verb(text)
    if not verb or verb in _TEACH - _PRACTISE - _DISCUSS - _READ - _SUMMARISE - _MANAGE:
        return None
    rest = text.split(maxsplit=1)[1:]
    said = _ASIDE.sub("", " ".join([verb, *rest]))
    return Act(_doing(verb, said), _capital(said))


def _doing(verb: str, text: str) -> Doing:
    folded = text.casefold()
    if verb in _DISCUSS or "discuss" in folded:
        return "discuss"
    if verb in _SUMMARISE:
        return "summarise"
    if verb in _READ:
        return "read"
    return "manage" if verb in _MANAGE else "practise"


def _teaching(text: str) -> Act:
    """Return the teacher's act: a statement that is told, or an act that nobody says aloud."""
    verb = _verb(text)
    if verb not in _TELL:
        return Act("manage")
    if (found := _THAT.match(text)) and (found[1] == "that" or is_statement(found[2])):
        return Act("explain", told=_capital(found[2]))
    return Act("manage", about="no_statement" if verb in _STATED else "")


def _verb(text: str) -> str:
    """The verb that a text begins with, in its plain form; empty where it begins with none."""
    words = re.match(r"[\"“(]?([A-Za-z]+(?:-[a-z]+)?)", text)
    if words is None:
        return ""
    word = words[1].casefold()
    known = _DISCUSS | _READ | _SUMMARISE | _MANAGE | _PRACTISE | _TEACH | _TELL
    return next((form for form in _plain_forms(word) if form in known), "")


def _plain_forms(word: str) -> list[str]:
    forms = [word]
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s"):
        forms.append(word[:-1])
    if word.endswith("ing") and len(word) > 5:
        stem = word[:-3]
        forms += [stem, f"{stem}e"] + ([stem[:-1]] if stem[-1] == stem[-2] else [])
    return forms


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
