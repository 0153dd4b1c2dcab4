"""A class drawn from distributions."""

from __future__ import annotations

from typing import Any

import solara
from pydantic import ValidationError

from eduverse_mesa.scenarios.drafting import EditError
from eduverse_mesa.scenarios.drafting.people import MOST_SAMPLED
from eduverse_mesa.scenarios.languages import list_languages
from eduverse_mesa.scenarios.people import Sample, TraitDistribution
from eduverse_mesa.scenarios.sampler import SAMPLED
from eduverse_mesa.visualization.app.kit import Form, use_words
from eduverse_mesa.visualization.app.lessons.workshop import Workshop
from eduverse_mesa.visualization.app.pages.design.fields import buttons, field, head, note, options, use_seen
from eduverse_mesa.visualization.widgets.form import Field
from eduverse_mesa.visualization.words import LANGUAGES, Words

_SPREAD = "spread"


@solara.component
def Sampling(shop: Workshop) -> None:
    """How many, which seed, and averages of traits; then the draw."""
    use_seen()
    t = use_words()
    given = shop.sample

    def hear(field: str, value: Any) -> None:
        if field != "draw":
            shop.renew(sample={**given, field: value})
        elif shop.do(lambda: _draw(given, shop)):
            shop.renew(picked=("student", ""))
            if value == "rows":
                shop.do(shop.draft.room.fit_rows)

    Form(_fields(given, shop, t), hear, label=t("design.sample.title"))


def _fields(given: dict[str, Any], shop: Workshop, t: Words) -> list[Field]:
    languages = options(list_languages(), lambda one: LANGUAGES.get(one, one))
    size = given.get("size") or 0
    crowded = size > len(shop.draft.seats)
    draws: list[tuple[Any, ...]] = [("draw", t("design.sample.draw"), "plain" if crowded else "primary")]
    if crowded:
        draws.append(("rows", t("design.sample.draw_rows"), "primary"))
    return [
        head("head", t("design.sample.title")),
        note("note", t("design.sample.note")),
        field("size", "number", t("design.sample.size"), size, min=1, max=MOST_SAMPLED, step=1, width="third"),
        field("seed", "number", t("design.sample.seed"), given.get("seed"), min=0, step=1, width="third"),
        field(
            "language", "select", t("design.sample.language"), _language(given, shop), options=languages, width="third"
        ),
        *(
            field(
                trait,
                "range",
                t(f"design.traits.{trait}.name"),
                given.get(trait, 0.5),
                min=0.1,
                max=0.9,
                step=0.01,
                width="half",
            )
            for trait in SAMPLED
        ),
        field(
            _SPREAD,
            "range",
            t("design.sample.spread"),
            given.get(_SPREAD, 0.18),
            min=0,
            max=0.4,
            step=0.01,
            width="half",
            low=t("design.sample.alike"),
            high=t("design.sample.unlike"),
        ),
        *(
            [note("crowded", t("design.sample.crowded", size=size, seats=len(shop.draft.seats)), "warn")]
            if crowded
            else []
        ),
        buttons("draw", *draws),
    ]


def _language(given: dict[str, Any], shop: Workshop) -> str:
    known = given.get("language") or shop.draft.get("lessons", 0, "language")
    return known if isinstance(known, str) and known in list_languages() else "en"


def _draw(given: dict[str, Any], shop: Workshop) -> None:
    spread = given.get(_SPREAD, 0.18)
    traits = {trait: TraitDistribution(mean=given.get(trait, 0.5), sd=spread) for trait in SAMPLED}
    try:
        sample = Sample(size=given["size"], seed=given["seed"], language=_language(given, shop), traits=traits)
    except ValidationError:
        message, mend = "the size and the seed have to be whole numbers.", f"Take 1 to {MOST_SAMPLED} students."
        raise EditError("sample_numbers", message, mend, most=MOST_SAMPLED) from None
    shop.draft.people.sample(sample)
