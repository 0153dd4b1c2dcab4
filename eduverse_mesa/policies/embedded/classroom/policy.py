"""The embedded policy: a model of cognition that answers every decision by equations, with no model server.

It keeps no state: all it uses stands in the decision, so answers do not depend on the order in which it is asked.
"""

from __future__ import annotations

import msgspec

from eduverse_mesa.decisions import (
    Draft,
    Drafted,
    Evaluate,
    Evaluated,
    Evaluation,
    FedBack,
    FeedbackItem,
    GiveFeedback,
    Monitor,
    Monitored,
    Pace,
    Paced,
    Plan,
    Planned,
    Prepare,
    React,
    Reacted,
    Regulate,
    Regulated,
    ScoreRequest,
    Scores,
    Style,
    Styled,
    Summarise,
    Summarised,
    TakeTurn,
    Turned,
    WordFeedback,
    WordTurn,
)
from eduverse_mesa.policies.embedded.classroom import words
from eduverse_mesa.policies.embedded.classroom.student import (
    Appraiser,
    Gatekeeper,
    PlanChooser,
    Regulator,
    Speaker,
    evaluate,
    next_strategy,
)
from eduverse_mesa.policies.embedded.classroom.teacher import ANSWERING, Conductor, Responder, pace, prepare
from eduverse_mesa.policies.embedded.linear import Parameters
from eduverse_mesa.policies.embedded.rule_policy import RulePolicy, Rules
from eduverse_mesa.scenarios.parameters import load_parameters
from eduverse_mesa.vocabulary import ACT_CATEGORY


class EmbeddedPolicy(RulePolicy):
    """Equations for every kind of decision, with words from a grammar."""

    subject = "a lesson"

    def __init__(self, parameters: Parameters | None = None) -> None:
        p = load_parameters({}) if parameters is None else parameters
        self._p = p
        self._plan = PlanChooser(p)
        self._appraise = Appraiser(p)
        self._regulate = Regulator(p)
        self._gate = Gatekeeper(p)
        self._speak = Speaker(p)
        self._conduct = Conductor(p)
        self._respond = Responder(p)
        rules: Rules = {
            Prepare: prepare,
            TakeTurn: self._take_turn,
            ScoreRequest: self._score,
            Plan: self._make_plan,
            React: self._react,
            Draft: self._draft,
            Style: self._style,
            Monitor: self._monitor,
            GiveFeedback: self._give_feedback,
            WordTurn: self._word_turn,
            WordFeedback: self._word_feedback,
            Regulate: self._resolve,
            Pace: self._pace,
            Summarise: self._summarise,
            Evaluate: self._evaluate,
        }
        super().__init__(rules)

    def _take_turn(self, decision: TakeTurn) -> Turned:
        view, at = decision.view, decision.at
        x = self._conduct.features(view)
        act = self._conduct.choose_act(decision, x)
        tone = self._conduct.choose_tone(at, act, x)
        called: tuple[str, ...] = ()
        press = ""
        if act == "asking_question":
            called = self._conduct.choose_called(at, view)
            press = self._conduct.choose_press(at, view)
        addressed = self._conduct.addressed(view, act)
        grammar = words.load_grammar(view.lesson.language)
        sentences = words.teacher_sentences(
            grammar,
            at,
            view,
            act=act,
            called=called or addressed,
            press=press,
            tone=tone,
            checking=self._p["words.checking"],
        )
        return Turned(ACT_CATEGORY[act], act, tone, sentences, called, addressed, view.focus.do)

    def _word_turn(self, decision: WordTurn) -> Turned:
        view, turn = decision.view, decision.turn
        grammar = words.load_grammar(view.lesson.language)
        named = turn.called or turn.addressed
        said = words.teacher_sentences(
            grammar,
            decision.at,
            view,
            act=turn.act,
            called=named,
            press=view.focus.press,
            tone=turn.tone,
            checking=self._p["words.checking"],
        )
        return msgspec.structs.replace(turn, sentences=said)

    def _score(self, decision: ScoreRequest) -> Scores:
        scores, weights = self._gate.scores(decision), self._gate.weights(decision)
        grammar = words.load_grammar(decision.view.scene.lesson.language)
        return Scores(scores, weights, words.gate_reasons(grammar, scores, weights))

    def _make_plan(self, decision: Plan) -> Planned:
        behaviour, partner = self._plan.choose(decision)
        view = decision.view
        grammar = words.load_grammar(view.scene.lesson.language)
        return Planned(
            words.plan_sentence(grammar, decision.at, behaviour, partner, view.scene.focus.keyword), behaviour, partner
        )

    def _react(self, decision: React) -> Reacted:
        behaviour, partner = self._plan.react(decision)
        emotion, cognition = self._appraise.react(decision, behaviour)
        return Reacted(behaviour, emotion, cognition, partner)

    def _draft(self, decision: Draft) -> Drafted:
        move, brief = self._speak.choose(decision)
        grammar = words.load_grammar(decision.view.scene.lesson.language)
        return Drafted(
            words.draft_sentences(
                grammar,
                decision.at,
                decision.view,
                behaviour=decision.behaviour,
                addressee=decision.addressee,
                recall=decision.recall,
                move=move,
                brief=brief,
                replying_to=decision.replying_to,
            )
        )

    def _style(self, decision: Style) -> Styled:
        view = decision.view
        grammar = words.load_grammar(view.scene.lesson.language)
        return Styled(words.style_sentences(grammar, decision.at, view.person, view.mind, decision.sentences))

    def _monitor(self, decision: Monitor) -> Monitored:
        emotion, cognition = self._appraise.monitor(decision)
        grammar = words.load_grammar(decision.view.scene.lesson.language)
        sentence = words.monitor_sentence(
            grammar, decision.at, emotion, cognition, decision.behaviour, decision.view.scene.focus.keyword
        )
        return Monitored(sentence, emotion, cognition)

    def _give_feedback(self, decision: GiveFeedback) -> FedBack:
        grammar = words.load_grammar(decision.view.lesson.language)
        focus = decision.view.focus
        passed = self._respond.passed_on(decision.at, decision.heard)
        return FedBack(
            tuple(
                FeedbackItem(
                    heard.student,
                    polarity,
                    words.feedback_sentences(
                        grammar, decision.at, heard, polarity, form, focus, heard.student in passed
                    ),
                    form in ANSWERING,
                )
                for heard, polarity, form in self._respond.choose(decision)
            )
        )

    def _word_feedback(self, decision: WordFeedback) -> FedBack:
        view = decision.view
        grammar = words.load_grammar(view.lesson.language)
        heard = {one.student: one for one in decision.heard}
        passed = self._respond.passed_on(decision.at, decision.heard)
        return FedBack(
            tuple(
                msgspec.structs.replace(
                    item,
                    sentences=words.feedback_sentences(
                        grammar,
                        decision.at,
                        heard[item.student],
                        item.polarity,
                        self._respond.form(decision.at, view.person.style, heard[item.student]),
                        view.focus,
                        item.student in passed,
                    ),
                )
                for item in decision.items
                if item.student in heard
            )
        )

    def _resolve(self, decision: Regulate) -> Regulated:
        strategy = self._regulate.choose(decision)
        grammar = words.load_grammar(decision.view.scene.lesson.language)
        return Regulated(
            words.regulate_sentence(grammar, decision.at, strategy, decision.view.scene.focus.keyword), strategy
        )

    def _pace(self, decision: Pace) -> Paced:
        move, readiness = pace(decision, self._p)
        grammar = words.load_grammar(decision.view.lesson.language)
        return Paced(
            move, words.pace_reason(grammar, move, decision, readiness, readiness >= self._p["pace.extend_below"])
        )

    def _summarise(self, decision: Summarise) -> Summarised:
        strategy = next_strategy(decision, self._p)
        grammar = words.load_grammar(decision.view.scene.lesson.language)
        summary, portrait, regulation = words.summary_sentences(grammar, decision.at, decision, strategy)
        return Summarised(summary, portrait, regulation, strategy)

    def _evaluate(self, decision: Evaluate) -> Evaluated:
        grammar = words.load_grammar(decision.view.lesson.language)
        items = []
        for student, rating in evaluate(decision, self._p).items():
            sentence = words.evaluation_sentence(
                grammar, decision.at, student, rating, decision.participation[student], decision.quality.get(student)
            )
            items.append(Evaluation(student, sentence, rating))
        return Evaluated(tuple(items))
