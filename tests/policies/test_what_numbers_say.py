"""Which of the numbers that pupils write are claims, and of what: a number that is calculated with, asked about, told
of another or refuted is none."""

from __future__ import annotations

import pytest

from eduverse_mesa.agents.solution import likely_values, sheet_of, ways_of
from eduverse_mesa.decisions.groups import Claim, Meaning, Message, Understand
from eduverse_mesa.formulas import units_for
from eduverse_mesa.models.groups.record import STAGES
from eduverse_mesa.policies.embedded.groups.interpretation import understand
from eduverse_mesa.policies.embedded.groups.vocabulary import load_ear
from eduverse_mesa.randomness import Address
from eduverse_mesa.scenarios.groups import default_peers
from tests.models.groups import problem

STEPS, FUEL, PAINT, RIBBON = "steps_and_distance", "race_fuel", "paint_mixture", "ribbon_bracelets"
BAGS, FRAME, DESERT, PRICE, PLANS = "treat_bags", "poster_frame", "desert_growth", "equal_discounts", "phone_plans"


def heard(
    text: str, name: str, latest: str = "", *, said: tuple[Claim, ...] = (), own: tuple[Claim, ...] = ()
) -> Meaning:
    """A message, read where something is being talked about, a peer has said one thing and the pupil another."""
    task = problem(f"{name}_zh" if any("\u4e00" <= sign <= "\u9fff" for sign in text) else name)
    marks = tuple((one.id, one.cue_marks) for one in task.misconceptions)
    peers = [peer.name for peer in default_peers(task.language)]
    dialogue: tuple[Message, ...] = ()
    dialogue += (Message(1, "Mia", "...", "execute", Meaning(topic=latest, claims=own)),) if own else ()
    dialogue += (Message(2, peers[1], "...", "execute", Meaning(topic=latest, claims=said)),) if latest else ()
    question = Understand(
        Address(1, 1, 1, "reader"), "Mia", text, sheet_of(task), ("Mia", *peers), dialogue, "execute",
        STAGES["execute"].acts, marks, likely_values(task), task.language, ways_of(task),
    )  # fmt: skip
    return understand(question).meaning


def said(claims: tuple[Claim, ...]) -> str:
    return " ".join(f"{one.about}={one.value}" for one in claims)


REFUTED = [
    (FUEL, "no thats 5 again, then it would burn 5 gallons for one mile, thats way to much", "",
     "gallons_per_mile=5 gallon/mile"),
    (FUEL, "its 0.2 because 120/600, and 1 gallon goes 5 miles so 1 mile cant need 5 gallons",
     "gallons_per_mile=1/5 gallon/mile miles_per_gallon=5 mile/gallon", "gallons_per_mile=5 gallon/mile"),
    (FUEL, "5 gallons for one mile cant be because 1 gallon goes 5 miles", "miles_per_gallon=5 mile/gallon",
     "gallons_per_mile=5 gallon/mile"),
    (FUEL, "that would make 5 gallons a mile, which is silly", "", "gallons_per_mile=5 gallon/mile"),
    (FUEL, "it would be 5 gallons for a mile and thats crazy", "", "gallons_per_mile=5 gallon/mile"),
    (BAGS, "30 bags makes no sense", "", "bags=30 bag"),
    (BAGS, "it cant be 90 bags", "", "bags=90 bag"),
    (BAGS, "90 bags is way too many", "", "bags=90 bag"),
    (STEPS, "1200 is impossible", "", "step_length=1200 foot/step"),
    (STEPS, "how can one step be 1200 feet", "", "step_length=1200 foot/step"),
    (STEPS, "1200 feet is too big for a step, its 3", "step_length=3 foot/step", "step_length=1200 foot/step"),
    (STEPS, "40 is wrong", "", "step_length=40 foot/step"),
    (STEPS, "1200??? no way", "", "step_length=1200 foot/step"),
    (STEPS, "ok but 1200 feet is like longer than the line", "", "step_length=1200 foot/step"),
    (STEPS, "3 feet and not 40 feet", "step_length=3 foot/step", "step_length=40 foot/step"),
    (STEPS, "不对吧，一步怎么会是1200英尺，比整条线还长", "", "step_length=1200 foot/步"),
    (STEPS, "一步不可能是1200英尺", "", "step_length=1200 foot/步"),
    (STEPS, "1200英尺太长了", "", "step_length=1200 foot/步"),
    (FUEL, "小雨，一英里不可能用5加仑，因为一加仑就能跑5英里", "miles_per_gallon=5 mile/gallon",
     "gallons_per_mile=5 gallon/mile"),
    (FUEL, "5加仑也太多了吧", "", "gallons_per_mile=5 gallon/mile"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "claims", "refuted"), REFUTED)
def test_what_is_shown_to_be_wrong_is_no_claim(name: str, text: str, claims: str, refuted: str) -> None:
    found = heard(text, name)
    assert (said(found.claims), said(found.refuted)) == (claims, refuted)
    assert found.clear
    assert found.stance == "disagrees" or found.claims


QUERIED = [
    (FUEL, "miles_per_gallon", "why 5?"),
    (FUEL, "miles_per_gallon", "5??"),
    (PRICE, "price", "why 120?"),
    (PRICE, "price", "where does 120 come from"),
    (RIBBON, "per_yard", "Bob do you have 4 or 12?"),
    (RIBBON, "per_yard", "why 20"),
    (RIBBON, "per_yard", "no i never said 12!! YOU said 12"),
    (RIBBON, "per_yard", "now im confused, is it 12 or 20"),
    (RIBBON, "new_total", "why 12? the question is for one more yard"),
    (RIBBON, "per_yard", "Alice, how did you get 12?"),
    (BAGS, "bags", "bob why cant it be 30 bags"),
    (BAGS, "bags", "but alice said 5 or not?"),
    (PRICE, "price", "alice if it was 33, 15% would be 5"),
    (STEPS, "step_length", "if it were 1200 then one step is longer than the whole line"),
    (STEPS, "step_length", "我没说过1200！是小雨说的"),
    (STEPS, "step_length", "为什么是1200？"),
    (STEPS, "step_length", "小雨，你说3还是1200？"),
]


@pytest.mark.parametrize(("name", "latest", "text"), QUERIED)
def test_a_value_that_is_asked_about_or_told_of_another_is_no_claim(name: str, latest: str, text: str) -> None:
    found = heard(text, name, latest, said=(Claim("miles_per_gallon", "5 mile/gallon"),))
    assert found.queried
    assert not found.claims
    assert found.stance != "agrees"
    assert found.clear


NOTHING = [
    (PRICE, "I divided 18 by 0.15. Because 0.15 of the price is 18"),
    (PRICE, "I get the fee plus 100 times the price"),
    (PRICE, "18 has to be part of the price"),
    (DESERT, "4 pieces times 15"),
    (BAGS, "5 goes into both"),
    (PLANS, "For A with 100 messages I get the fee plus 100 times the price."),
    (PLANS, "A for 100 messages?"),
    (BAGS, "ur mom is 5 bags"),
    (BAGS, "your mom has 90 bags lol"),
    (FUEL, "so there are two answers"),
    (PAINT, "its 40:24"),
]


@pytest.mark.parametrize(("name", "text"), NOTHING)
def test_numbers_that_are_worked_with_or_thrown_about_claim_nothing(name: str, text: str) -> None:
    assert said(heard(text, name).claims) == ""


CLAIMS = [
    (PRICE, "", "33$ final", "price=33 dollar"),
    (PRICE, "", "我都算好了，120元", "price=120 dollar"),
    (PRICE, "", "no its 33 because 18 and 15 are both taken off", "price=33 dollar"),
    (PRICE, "one_percent", "1.2*100=120 so the price is 120 dollars", "price=120 dollar"),
    (PRICE, "price", "18/0.15=120 look at the check", "price=120 dollar"),
    (PRICE, "", "18/15 = 1.2 so 1 dollar 20", "one_percent=6/5 dollar"),
    (PRICE, "one_percent", "120 dollars because 15% of 120 is 18",
     "rate=15 percent price=120 dollar sale_off=18 dollar"),
    (FUEL, "miles_per_gallon", "0.2 gallons per mile", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "miles_per_gallon", "0.2 gallons", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "miles_per_gallon", "0,2 gallons", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "miles_per_gallon", "and the other one is 5 to, no wait 120/600", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "miles_per_gallon", "120/600=0.2", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "gallons_per_mile", "600/120=5", "miles_per_gallon=5 mile/gallon"),
    (FUEL, "", "好的，120÷600=0.2", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "miles_per_gallon", "i said 0.2 gallon, alice why do you say 5?", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "", "yes 5 MILES per gallon and 0.2 GALLONS per mile. two answers",
     "miles_per_gallon=5 mile/gallon gallons_per_mile=1/5 gallon/mile"),
    (BAGS, "cookies_each", "2", "cookies_each=2 cookie/bag"),
    (BAGS, "bags", "30 divided by 15 is 2 and 45/15 is 3", "cookies_each=2 cookie/bag bars_each=3 fruit bar/bag"),
    (BAGS, "cookies_each", "yes and 45:15=3 bars", "bars_each=3 fruit bar/bag"),
    (BAGS, "", "所以30÷15=2，45÷15=3", "cookies_each=2 块曲奇/袋 bars_each=3 根果条/袋"),
    (STEPS, "step_length", "ok 60/2=30 so 30 ft", "half_way=30 foot"),
    (STEPS, "half_way", "60:20=3", "step_length=3 foot/step"),
    (STEPS, "half_way", "60：20=3，所以是3英尺", "step_length=3 foot/步"),
    (STEPS, "half_way", "60 shared by 20 is 3", "step_length=3 foot/step"),
    (STEPS, "step_length", "I shared 60 feet by 20 steps, 60/20=3. And to check 20*3=60",
     "distance=60 foot steps=20 step step_length=3 foot/step way_back=60 foot"),
    (STEPS, "half_way", "3 times 20 is 60 so its 3", "way_back=60 foot step_length=3 foot/step"),
    (STEPS, "", "first i had 40 but its 3", "step_length=3 foot/step"),
    (STEPS, "", "Bob has 3 i have 40", "step_length=40 foot/step"),
    (FUEL, "", "1 gallon is 5 miles so 1 mile is 1/5 gallon",
     "miles_per_gallon=5 mile/gallon gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "gallons_per_mile", "1/5 of a gallon", "gallons_per_mile=1/5 gallon/mile"),
    (FUEL, "", "一加仑5英里，一英里0.2加仑", "miles_per_gallon=5 mile/gallon gallons_per_mile=1/5 gallon/mile"),
    (BAGS, "", "15 bags with 2 cookies and 3 bars in each",
     "bags=15 bag cookies_each=2 cookie/bag bars_each=3 fruit bar/bag"),
    (BAGS, "", "15袋，每袋2块曲奇3根果条", "bags=15 袋 cookies_each=2 块曲奇/袋 bars_each=3 根果条/袋"),
    (PRICE, "", "1% is 1.20 so 100% is 120", "one_percent=6/5 dollar price=120 dollar"),
    (PRICE, "", "10% is 12 and 5% is 6 so 18 is 15% of 120", "rate=15 percent"),
    (PLANS, "", "400 and 805", "a_to_c=400 message c_to_b=805 message"),
    (DESERT, "", "15+15+15+15=60", "growth=60 mile^2"),
    (RIBBON, "ribbon_each", "8/2 = 4 so 4 bracelets", "per_yard=4 bracelet/yard"),
    (RIBBON, "per_yard", "i think 2/8 = 1/4 yard", "ribbon_each=1/4 yard/bracelet"),
    (RIBBON, "per_yard", "12 is for all, not for one yard. one yard is 4", "per_yard=4 bracelet/yard"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "latest", "text", "claims"), CLAIMS)
def test_a_number_is_about_what_its_words_its_unit_and_its_calculation_say(
    name: str, latest: str, text: str, claims: str
) -> None:
    assert said(heard(text, name, latest).claims) == claims


def test_who_goes_on_from_anothers_number_to_refute_it_does_not_take_it_over() -> None:
    theirs, own = (Claim("price", "33 dollar"),), (Claim("price", "120 dollar"),)
    text = "because 33*0.15 is about 5"
    assert heard(text, PRICE, "price", said=theirs, own=own).claims == ()
    assert heard(text, PRICE, "price", said=theirs, own=own).sums[0].holds


def test_a_bare_number_is_rather_what_has_not_been_said_than_another_value_of_what_has() -> None:
    own = (Claim("miles_per_gallon", "5 mile/gallon"),)
    assert said(heard("0.2", FUEL, "miles_per_gallon", own=own).claims) == "gallons_per_mile=1/5 gallon/mile"
    assert said(heard("no its 50", FUEL, "miles_per_gallon", own=own).claims) == "miles_per_gallon=50 mile/gallon"


WAYS = [
    (PRICE, "one_percent", "18 divided by 15 times 100", "price"),
    (PRICE, "one_percent", "i did 18/15*100", "price"),
    (FUEL, "miles_per_gallon", "i would do 120 divided by 600", "gallons_per_mile"),
    (FUEL, "", "we should do 600-120", "miles_per_gallon"),
    (STEPS, "half_way", "you have to divide 60 by 20", "step_length"),
    (STEPS, "step_length", "divide 60 feet by 2", "half_way"),
    (STEPS, "half_way", "subtract 20 from 60", "step_length"),
    (PRICE, "one_percent", "18除以15再乘以100", "price"),
]


@pytest.mark.parametrize(("name", "latest", "text", "variable"), WAYS)
def test_a_calculation_without_its_result_is_a_plan_for_what_it_comes_to(
    name: str, latest: str, text: str, variable: str
) -> None:
    found = heard(text, name, latest)
    assert [about for about, _ in found.plans] == [variable]
    assert found.topic == variable
    assert not [one for one in found.claims if one.about == variable]


def test_a_value_that_is_asked_about_is_of_what_others_say_it_is() -> None:
    theirs, own = (Claim("gallons_per_mile", "5 gallon/mile"),), (Claim("miles_per_gallon", "5 mile/gallon"),)
    found = heard("i said 0.2 gallon, alice why do you say 5?", FUEL, "gallons_per_mile", said=theirs, own=own)
    assert said(found.queried) == "gallons_per_mile=5 gallon/mile"
    assert found.topic == "gallons_per_mile"


def test_what_somebody_holds_counts_beside_what_follows_from_it() -> None:
    text = "but alice said 5 or not? i think 5 is right because 30/5=6 and 45/5=9"
    found = heard(text, BAGS, "bags")
    assert said(found.claims) == "bags=5 bag cookies_each=6 cookie/bag bars_each=9 fruit bar/bag"


def test_a_number_that_tells_for_how_much_is_none_of_the_results() -> None:
    found = heard("8 bracelets from 2 yards so 1 yard is 4. Alice 12 is for 3 yards", RIBBON, "per_yard")
    assert "per_yard=4 bracelet/yard" in said(found.claims)
    assert "ribbon_each" not in said(found.claims)
    assert not heard("why do you divide by 3 yards?", RIBBON, "per_yard").queried


def test_cents_and_dollars_may_stand_in_one_calculation() -> None:
    assert heard("20 dollars / 5 cents = 400", PLANS).sums[0].holds
    assert not heard("20 dollars / 5 cents = 40", PLANS).sums[0].holds


@pytest.mark.parametrize(
    ("name", "text", "claims"),
    [
        (PRICE, "one percent is 1 dollar 20", "one_percent=6/5 dollar"),
        (PRICE, "one percent is 1 dollar and 20 cents", "one_percent=6/5 dollar"),
        (PRICE, "1 dollar 20 is one percent", "one_percent=6/5 dollar"),
        (PLANS, "it costs 5 dollars and 20 messages", "extra_fee=5 dollar a_to_c=20 message"),
        (PLANS, "10 dollars 50 messages", "extra_fee=10 dollar a_to_c=50 message"),
        (PLANS, "plan a is 29.95 dollars and 10 cents per message", "fee_a=599/20 dollar text_a=10 cent/message"),
    ],
)
def test_cents_behind_dollars_are_none_where_something_else_is_counted(name: str, text: str, claims: str) -> None:
    assert said(heard(text, name).claims) == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("steps 1,2 and 3 are all 3 feet", "step_length=3 foot/step"),
        ("options 1,2 or 3", "step_length=3 foot/step"),
        ("numbers 3,4 are", ""),
        ("30,60 minutes", ""),
        ("its 2,5 feet", "step_length=5/2 foot/step"),
        ("2,5ft", "step_length=5/2 foot/step"),
        ("0,375 and i did 6/16", "step_length=3/8 foot/step"),
        ("每步2,5英尺", "step_length=5/2 foot/步"),
        ("第1,2和3步都是3英尺", "step_length=3 foot/步"),
    ],
)
def test_a_comma_is_a_point_only_before_a_unit(text: str, claims: str) -> None:
    assert said(heard(text, STEPS).claims) == claims


def test_an_amount_that_begins_with_one_is_no_yes() -> None:
    assert heard("1.2美元", PRICE).stance == ""
    assert heard("1，我同意", PRICE).stance == "agrees"


NOT_WRONG = [
    "3 cant be wrong", "there is no way that 3 is wrong", "it can't be anything else than 3", "3 isnt wrong",
    "it cant be anything but 3 feet", "我不觉得3错了", "3不可能错", "不可能是别的，就是3",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_WRONG)
def test_what_cannot_be_wrong_or_anything_else_is_claimed(text: str) -> None:
    found = heard(text, STEPS, "step_length")
    assert [(one.about, one.value.split("/")[0]) for one in found.claims] == [("step_length", "3 foot")]
    assert (found.refuted, found.stance in ("", "agrees")) == ((), True)


@pytest.mark.parametrize(
    "text", ["i dont think 3 is wrong", "it can't be less than 3 feet", "it cant be more than 3", "不可能少于3英尺"]
)
def test_what_is_not_said_to_be_wrong_is_not_refuted(text: str) -> None:
    found = heard(text, STEPS, "step_length")
    assert (found.refuted, found.stance in ("", "agrees")) == ((), True)


@pytest.mark.parametrize("text", ["i dont think its 3", "it cant be 3", "never 3 feet", "我不觉得是3", "3错了"])
def test_what_is_said_not_to_be_it_stays_refuted(text: str) -> None:
    found = heard(text, STEPS, "step_length")
    assert (len(found.refuted), found.claims, found.stance) == (1, (), "disagrees")


@pytest.mark.parametrize(
    ("name", "text", "sums"),
    [
        (FUEL, "0.2 gallons per mile because 120/600", ["120 / 600"]),
        (FUEL, "its 0.2, i did 120/600", ["120 / 600"]),
        (FUEL, "0.2 since 120 divided by 600", ["120 / 600"]),
        (STEPS, "3 feet cause 60/20", ["60 / 20"]),
        (STEPS, "60/20, so 3", ["60 / 20"]),
        (STEPS, "每步3英尺，因为60÷20", ["60 / 20"]),
        (PRICE, "its 1.2 cause 18/15 and 120 cause 1.2*100", ["18 / 15", "1.2 * 100"]),
        (STEPS, "3 because 20*3", []),
    ],
)
def test_a_calculation_beside_its_value_shows_how(name: str, text: str, sums: list[str]) -> None:
    found = heard(text, name)
    assert [one.text for one in found.sums if one.holds] == sums
    assert found.claims[-1].about in ("gallons_per_mile", "step_length", "price")


@pytest.mark.parametrize(
    "text", ["I think 3 feet, no 4 feet", "its 3, no 4", "3 no its 4", "3 feet? no, 4 feet", "是3英尺，不对，是4英尺"]
)
def test_who_takes_a_number_back_in_one_breath_claims_the_second(text: str) -> None:
    assert [one.value.split("/")[0] for one in heard(text, STEPS).claims] == ["4 foot"]


@pytest.mark.parametrize("text", ["its 3, not 4", "3英尺，不是4英尺"])
def test_who_sets_a_number_against_another_claims_the_first(text: str) -> None:
    assert [one.value.split("/")[0] for one in heard(text, STEPS).claims] == ["3 foot"]


@pytest.mark.parametrize(
    ("name", "text", "claims"),
    [
        (PRICE, "百分之一是1.2元", "one_percent=6/5 dollar"),
        (PRICE, "百分之一是1元2角", "one_percent=6/5 dollar"),
        (PRICE, "价格是120块钱", "price=120 dollar"),
        (STEPS, "把60分成20份，每步3英尺", "step_length=3 foot/步"),
    ],
)
def test_yuan_are_the_dollars_of_the_statement_and_sharing_is_no_money(name: str, text: str, claims: str) -> None:
    assert said(heard(text, name).claims) == claims


def test_minutes_behind_hours_are_no_money() -> None:
    numbers = load_ear("zh").numbers
    for text, units in (("2小时30分", ["hour", "minute"]), ("30分", ["fen"]), ("30分钟", ["minute"])):
        assert [one.quantity.unit for one in numbers.quantities(text, units_for())] == units
