from __future__ import annotations

import datetime
import io
import zipfile

import openpyxl
import pandas as pd
import pytest

from eduverse_mesa.errors import TableError
from eduverse_mesa.measures import measure_lessons, read_transcript, read_transcripts, transcripts
from eduverse_mesa.measures.transcripts import move_of

OURS = "lesson,turn,role,speaker,text,move\nA,1,T,T,What is it?,press-accuracy\nA,2,S,Ana,Four.,claim\n"
CORPUS_HEADER = [None, "TimeStamp", "Turn", "Speaker", "Sentence", "Teacher Tag", "Student Tag"]
CORPUS_ROWS = [
    [0, "00:00:01", 1, "T", "What do we call this shape?", "8 - press for  accuracy", None],
    [1, "00:00:04", 2, " Ana ", "A square.", "7 - context", "4 - making a claim"],
    [None] * 7,
    [2, "00:00:06", 3, "T", "A square.", "4 - restating", None],
    [3, "00:00:09", 3, "T", "Do you agree, Bo?", 3, None],
    [4, "00:00:11", 4, "SS", "Yes.", None, "2 - relating to another student"],
    [5, "00:00:12", 4, "S", "How much is that?", "1 - none", None],
    [6, "00:00:15", 5, "S", datetime.date(2024, 3, 4), None, "5 - providing evidence/providing reasoning"],
]


def write_xlsx(path, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(path)
    return path


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_our_own_layout(tmp_path):
    table = read_transcript(write(tmp_path / "a.csv", OURS))
    assert table.to_dict(orient="records") == [
        {"lesson": "A", "turn": 1, "role": "T", "speaker": "T", "text": "What is it?", "move": "press-accuracy"},
        {"lesson": "A", "turn": 2, "role": "S", "speaker": "Ana", "text": "Four.", "move": "claim"},
    ]


def test_the_corpus_layout(tmp_path):
    table = read_transcript(write_xlsx(tmp_path / "shapes.xlsx", [CORPUS_HEADER, *CORPUS_ROWS]))
    assert set(table["lesson"]) == {"shapes"}
    assert table["role"].tolist() == list("TSTTSSS")
    assert table["speaker"].tolist() == ["T", "Ana", "T", "T", "SS", "S", "S"]
    assert table["move"].tolist() == ["press-accuracy", "claim", "restate", "get-to-relate", "relate", "", "evidence"]
    assert table["text"].iloc[-1] == "3/4"  # Excel takes the fraction for a date
    assert table["turn"].tolist() == [1, 2, 3, 3, 4, 4, 5]


def test_a_transcript_read_is_a_transcript_measured(tmp_path):
    table = read_transcript(write_xlsx(tmp_path / "shapes.xlsx", [CORPUS_HEADER, *CORPUS_ROWS]))
    measured = measure_lessons(table).loc["shapes"]
    assert measured["I_rate"] == 1.0
    assert measured["short"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_of_chinese(tmp_path, encoding):
    table = read_transcript(
        write(tmp_path / "a.csv", "角色,发言人,句子\n教师,王老师,春天像什么？\n学生,小明,像小姑娘。\n", encoding)
    )
    assert table["text"].tolist() == ["春天像什么？", "像小姑娘。"]
    assert table["role"].tolist() == ["T", "S"]


def test_western_encoding_of_old_excel(tmp_path):
    table = read_transcript(write(tmp_path / "a.csv", "Speaker;Text\nTeacher;Où est l’été?\nZoé;Là-bas.\n", "cp1252"))
    assert table["text"].tolist() == ["Où est l’été?", "Là-bas."]
    assert table["speaker"].tolist() == ["Teacher", "Zoé"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_in_any_order_and_case(tmp_path, delimiter):
    lines = ["student_tag,,SENTENCE,teacher tag,speaker", ",,,,", ",x,Hello.,1,The Teacher:", "3,y,Why?,,Bo"]
    table = read_transcript(write(tmp_path / "a.csv", "\r\n".join(lines).replace(",", delimiter)))
    assert table["role"].tolist() == ["T", "S"]
    assert table["move"].tolist() == ["none", "ask"]


def test_several_lessons_in_a_file_and_several_files(tmp_path):
    one = write(tmp_path / "one.csv", OURS + "B,1,T,T,Go.,none\n")
    two = write(tmp_path / "two.csv", "speaker,text\nT,Go.\n")
    assert list(dict.fromkeys(read_transcripts([one, two])["lesson"])) == ["A", "B", "two"]
    with pytest.raises(TableError, match=r"lesson 'A' stands in .*one\.csv too"):
        read_transcripts([one, one])
    with pytest.raises(TableError, match="at least one file"):
        read_transcripts([])


def test_who_speaks_may_follow_from_the_tag(tmp_path):
    text = "speaker,sentence,teacher tag,student tag\n,Go.,1 - none,\n,Four.,,4 - making a claim\n"
    assert read_transcript(write(tmp_path / "a.csv", text))["role"].tolist() == ["T", "S"]


@pytest.mark.parametrize(
    ("tag", "role", "move"),
    [
        ("8- Press for Accuracy", "T", "press-accuracy"),
        ("8 press for acuracy", "T", "press-accuracy"),
        ("9", "T", "press-reasoning"),
        ("2.0", "T", "keep-together"),
        ("Revoicing", "T", "revoice"),
        ("7 - context", "T", "none"),
        ("get-to-relate", "T", "get-to-relate"),
        ("5 - providing evidence / reasoning", "S", "evidence"),
        ("3 - asking for more info", "S", "ask"),
        ("nan", "S", ""),
        ("6", "T", None),
        ("9 - making a claim", "S", None),
        ("5 - making a claim", "S", None),
        ("dancing", "S", None),
    ],
)
def test_tags_as_people_write_them(tag, role, move):
    assert move_of(tag, role) == move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("speaker,text\n", "holds no sentence"),
        ("speaker,when\nT,now\n", r"row 1: has no column text or Sentence.*'speaker', 'when'"),
        ("text\nHello.\n", "no column role or speaker"),
        ("text,Sentence,speaker\na,b,T\n", "two columns for text"),
        ("speaker,text\nAna,Hello.\n", 'no row is the teacher\'s.*Write "T"'),
        ("speaker,text,move\nT,Hi.,none\n\nT,Hello.,shout\n", r"row 4, column move: 'shout' is no tag of a teacher"),
        ("role,text\nX,Hello.\n", r"row 2, column role: 'x' is no role"),
        ("speaker,text\n,Hello.\n", "row 2, column speaker: nobody says"),
        ("speaker,text,turn\nT,Hello.,soon\n", r"row 2, column turn: 'soon' is no number"),
        ('speaker,text\nT,"' + "x" * 200_000 + '"\n', "is no CSV"),
    ],
)
def test_mistakes_in_a_file_are_named_with_place_and_mend(tmp_path, text, message):
    with pytest.raises(TableError, match=message) as caught:
        read_transcript(write(tmp_path / "bad.csv", text))
    assert "bad.csv" in str(caught.value)
    assert caught.value.mend


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlsx", b"no workbook"),
        ("a.xlsx", b"PK\x03\x04 cut off"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\x00\x00"),
    ],
)
def test_what_is_no_spreadsheet(tmp_path, name, data):
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(TableError, match="CSV"):
        read_transcript(file)


def test_a_zip_that_is_no_workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(TableError, match="is not a workbook"):
        read_transcript(tmp_path / "a.xlsx")


def test_a_workbook_whose_xml_is_broken(tmp_path):
    whole = write_xlsx(tmp_path / "whole.xlsx", [["speaker", "text"], ["T", "Go."]])
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(tmp_path / "broken.xlsx", "w") as target:
        for member in source.namelist():
            data = source.read(member)
            target.writestr(member, data[: len(data) // 2] if "sheet1" in member else data)
    with pytest.raises(TableError, match=r"broken\.xlsx: is not a workbook"):
        read_transcript(tmp_path / "broken.xlsx")


def test_a_zip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(transcripts, "MAX_UNPACKED_BYTES", 2**20)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (2**20 + 1))
    (tmp_path / "bomb.xlsx").write_bytes(packed.getvalue())
    with pytest.raises(TableError, match="would unpack to more than 1 MiB"):
        read_transcript(tmp_path / "bomb.xlsx")


def test_a_file_too_large_or_too_long(tmp_path, monkeypatch):
    file = write(tmp_path / "long.csv", OURS)
    monkeypatch.setattr(transcripts, "MAX_ROWS", 2)
    with pytest.raises(TableError, match="more than 2 rows"):
        read_transcript(file)
    monkeypatch.setattr(transcripts, "MAX_BYTES", 10)
    with pytest.raises(TableError, match="larger than"):
        read_transcript(file)


def test_a_workbook_that_claims_a_million_rows(tmp_path):
    book = openpyxl.Workbook()
    book.worksheets[0].append(["speaker", "text"])
    book.worksheets[0].append(["T", "Go."])
    book.worksheets[0].cell(row=150_000, column=2).value = ""
    book.save(tmp_path / "wide.xlsx")
    assert len(read_transcript(tmp_path / "wide.xlsx")) == 1


def test_a_file_that_is_not_there_or_a_folder(tmp_path):
    with pytest.raises(TableError, match="No such file"):
        read_transcript(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_transcript(tmp_path)


def test_an_export_is_read_back_as_it_was(tmp_path):
    talk = pd.DataFrame(
        {
            "lesson": "one",
            "step": pd.array([0, 1], dtype="Int64"),
            "role": ["T", "S"],
            "speaker": ["T", "Ana"],
            "text": ['Who said "no, never"?', "Me."],
            "move": ["press-accuracy", "claim"],
            "addressee": ["class", "teacher"],
            "channel": ["class", "class"],
        }
    )
    talk.to_csv(tmp_path / "run.csv", index=False)
    pd.testing.assert_frame_equal(read_transcript(tmp_path / "run.csv"), talk)
