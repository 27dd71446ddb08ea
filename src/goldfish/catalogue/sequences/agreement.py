"""Compares answers with those of the model, and names what is wrong by the kind of difference.

What the small print leaves to a memory, the comparison leaves to it, too: the order of lists of
sessions and facts, scores, ids, times, and what an answer has beside what was asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.sequences.powers import Powers, is_time_left, read_content
from goldfish.catalogue.sequences.steps import Step
from goldfish.catalogue.support.comparison import describe_difference, describe_field_difference
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    quote_facts,
    read_metadata,
    read_text,
    unpack_facts,
    unwrap_fact,
)
from goldfish.catalogue.support.state import ExpectedState, Owner
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import MISSING, Memory, contents_of, field, identity, messages_in
from goldfish.messages import ChatMessage
from goldfish.model.answers import FactSeen, Left, SnapshotSeen, Unsure
from goldfish.model.small_print import Model


class Agreement:
    """The answers that are due to one sequence, and what was ever written in it."""

    def __init__(self, memory: Memory, powers: Powers, model: Model) -> None:
        self._memory = memory
        self._powers = powers
        self._model = model
        self._said: defaultdict[str, list[ChatMessage]] = defaultdict(list)
        self._values: defaultdict[Owner, list[tuple[str, Any]]] = defaultdict(list)
        self._told: defaultdict[str, set[str]] = defaultdict(set)
        self.expired: set[str] = set()  # sessions

    def note(self, step: Step) -> None:
        """Remember what a step writes, to know it again where it must not be."""
        match step.method, step.arguments:
            case "add_messages", (session, messages):
                self._said[session] += messages
            case "set_state", (session, values):
                owner = Owner(session, step.options.get("user_id")).key
                self._values[owner] += values.items()
            case ("remember", (user, text)) | ("revise", (user, _, text)):
                self._told[user].add(text)

    def compare(self, step: Step, expected: Any, got: Any) -> None:
        """Raise the violation that explains how the answer differs, if it does."""
        compare = getattr(self, f"_compare_{step.method}", None)
        if compare is not None and not isinstance(expected, Unsure):
            compare(step, expected, got)

    # Messages.

    def _compare_get_history(self, step: Step, expected: list[ChatMessage], got: Any) -> None:
        found = messages_in(got)
        wanted, read = contents_of(expected), contents_of(found)
        if step.owner in self.expired:
            self._compare_expired(step.owner, wanted, read)
        if "last" in step.options and wanted != read:
            whole = contents_of(self._model.get_history(step.owner))
            if all(each in whole for each in read):
                last = step.options["last"]
                raise Violation(
                    f"wrong: get_history(last={last}) of {len(whole)} messages returned "
                    f"{quote_list(read)}"
                )
        expect_contents(wanted, read, session=step.owner, **self._find_origins(step.owner))
        for given, back in zip(expected, found, strict=True):
            for name in self._powers.fields:
                if changed := describe_field_difference(given, back, name):
                    raise Violation(f"corrupted: of {quote(given.content, 30)}, {changed}")

    def _compare_expired(self, session: str, wanted: list[Any], read: list[Any]) -> None:
        before = [each for each in contents_of(self._said[session]) if each not in wanted]
        if left := [each for each in read if each in before]:
            raise Violation(
                f"stale: session {quote(session)} has expired, but {quote(left[0])} is still there",
                session=session,
                about=tuple(left),
            )

    def _find_origins(self, session: str) -> dict[str, list[Any]]:
        """Return what other sessions were told, and what this one was."""
        own = contents_of(self._said[session])
        others = [contents_of(said) for other, said in self._said.items() if other != session]
        return {
            "foreign": [each for contents in others for each in contents if each not in own],
            "gone": own,
        }

    def _compare_trim(self, step: Step, expected: int, got: Any) -> None:
        if "count_trimmed" in self._powers.can:
            _compare_count(step, expected, got)

    def _compare_delete_messages(self, step: Step, expected: int, got: Any) -> None:
        if "count_deleted" in self._powers.can:
            _compare_count(step, expected, got)

    def _compare_list_sessions(self, step: Step, expected: list[str], got: Any) -> None:
        """A memory may list sessions that are empty again, and those of other sequences."""
        prefix = step.options.get("prefix", "")
        found = [each if isinstance(each, str) else field(each, "session_id") for each in got]
        if missing := [each for each in expected if each not in found]:
            raise Violation(
                f"lost: session {quote(missing[0])} has messages, but is not listed",
                f"listed {quote_list(found)}",
            )
        if strange := [each for each in found if not str(each).startswith(prefix)]:
            raise Violation(
                f"wrong: list_sessions(prefix={quote(prefix)}) returned {quote(strange[0])}"
            )
        if twice := [each for each, count in Counter(map(str, found)).items() if count > 1]:
            raise Violation(f"duplicated: session {quote(twice[0])} is listed more than once")

    def _compare_search_history(self, step: Step, expected: Any, got: Any) -> None:
        """Found is what these sessions have; what was trimmed may be found, too."""
        sessions, query = step.arguments
        found = [read_content(each) for each in got]
        there = [self._model.get_history(session) for session in sessions]
        contents = [each for history in there for each in contents_of(history)]
        own = [each for session in sessions for each in contents_of(self._said[session])]
        for content in found:
            if content in own:
                continue
            said = [other for other, said in self._said.items() if content in contents_of(said)]
            if said:
                raise Violation(
                    f"leaked: {quote(content)} was written to session {quote(said[0])}, but a "
                    f"search of {quote_list(sessions)} finds it"
                )
        if query in contents and query not in found:
            raise Violation(
                f"lost: {quote(query)} is in the history, but a search for these words does not "
                "find it",
                f"found {quote_list(found)}",
            )

    # Expiry.

    def _compare_get_ttl(self, step: Step, expected: Left | None, got: Any) -> None:
        if expected is None:
            if got is not None:
                raise Violation(
                    f"wrong: get_ttl returned {quote(got)} for a session without a deadline"
                )
        elif not is_time_left(got, expected.seconds):
            raise Violation(
                f"wrong: get_ttl returned {quote(got)} for a deadline in {expected.seconds:g} s"
            )

    # Snapshots.

    def compare_snapshots(self, names: Sequence[Any], removed: Sequence[Any], got: Any) -> None:
        """Raise unless these snapshots are listed, oldest first, and none that was removed."""
        found = [identity(each) for each in got]
        names = [name for at, name in enumerate(names) if name not in names[:at]]
        evidence = (f"saved {quote_list(names)}", f"listed {quote_list(found)}")
        if missing := [name for name in names if name not in found]:
            raise Violation(
                f"lost: snapshot {quote(missing[0])} was saved, but is not listed", *evidence
            )
        if back := [name for name in removed if name in found and name not in names]:
            raise Violation(
                f"resurrected: snapshot {quote(back[0])} was deleted, but is listed", *evidence
            )
        if [name for name in found if name in names] != names:
            raise Violation("reordered: the snapshots are not listed oldest first", *evidence)

    # State.

    def _compare_get_state(self, step: Step, expected: dict[str, Any], got: Any) -> None:
        owner = Owner(step.owner, step.options.get("user_id"))
        known = ExpectedState(self._memory)
        for other, values in self._values.items():
            key = other.key
            known.past[key] = list(values)
            known.values[key] = self._model.get_state(key.session, user_id=key.user)
        known.values[owner.key] = expected
        if not hasattr(got, "items"):
            raise Violation(f"wrong: get_state returned {type(got).__name__}, not values by name")
        known.compare(owner, dict(got))

    # Facts.

    def _compare_list_facts(self, step: Step, expected: list[FactSeen], got: Any) -> None:
        found = unpack_facts(got, "list_facts")
        texts, wanted = [read_text(each) for each in found], [each.text for each in expected]
        if "limit" in step.options:
            # Which facts a page has depends on the order, which is the memory's own.
            whole = self._model.list_facts(step.owner, filter=step.options.get("filter"))
            if len(texts) != len(wanted) or not set(texts) <= {each.text for each in whole}:
                self._explain_facts(step, wanted, texts)
            return
        if Counter(map(repr, texts)) != Counter(map(repr, wanted)):
            self._explain_facts(step, wanted, texts)
        if "filter" in self._powers.can:
            self._compare_metadata(expected, found)

    def _compare_metadata(self, expected: list[FactSeen], found: list[Any]) -> None:
        for fact in expected:
            same = [each for each in expected if each.text == fact.text]
            if len(same) == 1:
                back = next(each for each in found if read_text(each) == fact.text)
                metadata = dict(read_metadata(back))
                if changed := describe_difference(fact.metadata, metadata, "metadata"):
                    raise Violation(f"corrupted: of {quote(fact.text, 30)}, {changed}")

    def _explain_facts(self, step: Step, wanted: list[str], texts: list[Any]) -> None:
        known = ExpectedFacts(self._memory)
        known.texts = {
            user: [each.text for each in self._model.list_facts(user)] for user in self._told
        }
        if not step.options:
            known.texts[step.owner] = wanted
            known.gone[step.owner] = self._told[step.owner] - set(wanted)
            known.compare(step.owner, texts)
        evidence = (f"expected {quote_facts(wanted)}", f"found {quote_facts(texts)}")
        raise Violation(
            f"wrong: {step.method} returned {len(texts)} facts, where {len(wanted)} are due",
            *evidence,
        )

    def _compare_get_fact(self, step: Step, expected: FactSeen, got: Any) -> None:
        text = MISSING if got is None else read_text(got)
        if text == expected.text:
            return
        if text is MISSING:
            raise Violation(
                f"lost: {quote(expected.text)} was acknowledged, but get_fact does not return it"
            )
        word = "stale" if text in self._told[step.owner] else "corrupted"
        raise Violation(f"{word}: get_fact returned {quote(text)}, not {quote(expected.text)}")

    def _compare_recall(self, step: Step, expected: Any, got: Any) -> None:
        """Recalled is what is known of the user; and all that the words say themselves."""
        user, query = step.arguments
        found = unpack_facts(got, "recall")
        texts, own = [read_text(each) for each in found], self._model.list_facts(user)
        known = ExpectedFacts(self._memory)
        known.texts = {each: [f.text for f in self._model.list_facts(each)] for each in self._told}
        known.gone = {user: self._told[user] - {fact.text for fact in own}}
        evidence = (f"known {quote_facts(known.texts.get(user, []))}",)
        known.blame(user, texts, *evidence, f"recalled {quote_facts(texts)}")
        names = [field(unwrap_fact(each), "id") for each in found]
        if len(names) > len(set(map(repr, names))) and MISSING not in names:
            raise Violation(f"duplicated: recall returned a fact twice: {quote_facts(texts)}")
        limit = step.options["limit"]
        if len(found) > limit:
            raise Violation(f"wrong: recall(limit={limit}) returned {len(found)} facts")
        if limit >= len(own) and query in known.texts.get(user, []) and query not in texts:
            raise Violation(
                f"lost: {quote(query)} is known of user {quote(user)}, but not recalled by its "
                "own words",
                *evidence,
                f"recalled {quote_facts(texts)}",
            )


def _compare_count(step: Step, expected: int, got: Any) -> None:
    if got != expected:
        raise Violation(
            f"wrong: {step.method} was to remove {expected} messages and returned {quote(got)}"
        )


def show_expected(expected: Any) -> str:
    """Return what the model answers, as evidence."""
    match expected:
        case [ChatMessage(), *_]:
            return quote_list(contents_of(expected), most=12)
        case [FactSeen(), *_]:
            return quote_facts([each.text for each in expected])
        case [SnapshotSeen(), *_]:
            return f"{len(expected)} snapshots"
        case FactSeen():
            return quote(expected.text)
        case Left():
            return f"about {expected.seconds:g}"
    return quote(expected, 200)


def show_got(got: Any) -> str:
    """Return what a memory answered, as evidence."""
    if isinstance(got, list | tuple):
        texts = [field(each, "content") for each in got]
        if got and MISSING not in texts:
            return quote_list(texts, most=12)
        facts = [read_text(each) for each in got]
        if got and MISSING not in facts:
            return quote_facts(facts)
    return quote(got, 200)
