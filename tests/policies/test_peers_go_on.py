"""No dialogue breaks off: whatever ordinary sentences a pupil types, in whatever order, a peer has something to say."""

from __future__ import annotations

import random

import pytest

from tests.models.groups import STEPS, told, with_pupil
from tests.policies.test_usual_words import plain_words

ENGLISH = (
    "hi", "its 3 feet", "I think 3 feet, no 4 feet", "is that right?", "60/20=3", "why?", "what does alike mean",
    "I'm done", "brb", "1200", "no", "not 3", "how much is 4*15?", "what's 3/0?", "how did you get that",
    "do you agree?", "ok", "yes", "i dont get it", "it cant be 5", "steps 1,2 and 3", "5 dollars and 20 cents",
    "divide 60 by 20", "C", "A or B", "option 2", "the second one", "50%", "1/3 of 60", "you said 12", "what now?",
    "we all agree, done", "...", "why not 3?", "why 5??", "x=3", "60:20=3", "0.2 because 120/600", "whatever",
    "what do we know?", "i dont think 3 is wrong", "what did you get?", "let me do that", "can you do it?",
)  # fmt: skip
CHINESE = (
    "你好", "是3英尺", "我觉得是3英尺，不对，是4英尺", "对吗？", "60÷20=3", "为什么？", "相似是什么意思", "我做完了",
    "等一下", "1200", "不对", "不是3", "4乘15是多少？", "3除以0是多少", "你怎么算的", "你同意吗？", "好的", "嗯",
    "我不懂", "不可能是5", "第1、2步", "5美元20美分", "60除以20", "选C", "A还是B", "第二个", "50%", "60的三分之一",
    "你刚才说12", "那现在呢？", "大家都同意", "...", "为什么不是3？", "为什么是5？？", "x=3", "120元", "因为120/600",
    "随便", "我们知道什么？", "我不觉得3错了", "你得多少？", "我来算", "你来算吧",
)  # fmt: skip
PROBLEMS = (STEPS, "race_fuel", "paint_mixture", "phone_plans", "poster_frame", "treat_bags", "equal_discounts")
LONG = 12


def go_on(name: str, seed: int) -> None:
    """A dialogue of twelve sentences, one after another, that ends by itself or with them."""
    luck = random.Random(f"{name} {seed}")
    texts = [luck.choice(CHINESE if name.endswith("_zh") else ENGLISH) for _ in range(LONG)]
    every = told(with_pupil(*texts, name=name, seed=seed))
    assert any(speaker != "Mia" and text for speaker, text in every), texts
    language = "zh" if name.endswith("_zh") else "en"
    fallen = {text for speaker, text in every if speaker not in ("Mia", "小美")} & plain_words(language)
    assert not fallen, f"a phrase is missing: {texts}"


def test_who_changes_a_value_in_one_breath_and_asks_whether_it_is_right_is_answered() -> None:
    every = told(with_pupil("I think 3 feet, no 4 feet", "is that right?"))
    assert every[-1][0] != "Mia"
    zh = told(with_pupil("我觉得是3英尺，不对，是4英尺", "对吗？", name=f"{STEPS}_zh", pupil="小美"))
    assert zh[-1][0] != "小美"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_order_of_ordinary_sentences_ends_a_dialogue_with_an_error(language: str) -> None:
    for seed, name in enumerate(PROBLEMS):
        go_on(name if language == "en" else f"{name}_zh", seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_nor_do_many_orders_of_them(name: str) -> None:
    for seed in range(100, 115):
        go_on(name, seed)
        go_on(f"{name}_zh", seed)
