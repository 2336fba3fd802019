"""What the property chose and tables posted: in a strict property the only terms, else a finding of the audit."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, date, datetime
from typing import Any

import pytest

from domain.audit.findings import Finding
from domain.errors import BadChoice, BadTerms
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.terms import TermsDocument
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.report import Filters
from projections.reports.report_query import rows

NOON = datetime(2026, 3, 2, 20, tzinfo=UTC)
FIRST = TermsDocument(schedule=1)
SECOND = TermsDocument(schedule=3)


def at(minutes: float, by: str = "floor-1") -> Actor:
    return Actor(by, ms(minutes))


def ms(minutes: float) -> int:
    return round(NOON.timestamp() * 1000 + minutes * 60_000)


def findings(url: str) -> list[str]:
    found: list[Finding] = []
    Audit(url, processes=1, without=("log",), report=found.append).run()
    return [finding.what for finding in found if not finding.is_note]


def reported(url: str, name: str, **filters: Any) -> list[dict[str, Any]]:
    with Runner(url) as runner:
        runner.catch_up()
    return rows(url, name, Filters(**filters))


def test_the_report_says_what_was_posted_when_and_by_whom(url: str, ledger: Ledger) -> None:
    ledger.post_terms("t-1", "p215-casino-club", FIRST, None, at(0))
    ledger.post_terms("t-1", "p215-casino-club", SECOND, ms(120), at(60, "floor-2"))
    ledger.post_terms("t-2", "uth-casino-club", TermsDocument(), None, at(0))
    first, second, other = reported(url, "postings")
    assert [one["schedule"] for one in (first, second, other)] == [1, 3, 1]
    assert (first["posted_by"], first["notice_minutes"], first["changes"]) == ("floor-1", 0, 2)
    assert (second["posted_by"], second["notice_minutes"], second["ends"]) == ("floor-2", 60, None)
    assert first["ends"] == second["begins"]
    assert first["rates"].startswith("up to 100.00 0.50; up to 200.00 1.00")
    assert "game 5.00 to 500.00" in first["limits"]
    assert other["trips"] == "UTH-04"
    (then,) = reported(url, "postings", table="t-1", moment=datetime.fromtimestamp(ms(119) / 1000, UTC))
    assert then["number"] == 1
    ledger.take_down("t-1", ms(240), at(180))
    ended = reported(url, "postings", table="t-1")
    assert ended[1]["ends"] is not None
    assert reported(url, "postings", table="t-1", moment=datetime.fromtimestamp(ms(241) / 1000, UTC)) == []
    rebuild(url)
    assert reported(url, "postings", table="t-1") == ended
    assert findings(url) == []


def test_an_earlier_posting_replaces_one_that_has_not_begun(ledger: Ledger) -> None:
    ledger.post_terms("t-1", "p215-casino-club", FIRST, ms(600), at(0))
    ledger.post_terms("t-1", "p215-casino-club", SECOND, ms(300), at(1))
    posted, _ = ledger.postings.of_table("t-1")
    assert posted.at(ms(299)) is None
    held = posted.at(ms(700))
    assert held is not None
    assert held.posted.terms["schedule"] == 3


def test_other_terms_than_posted_are_a_finding(url: str, ledger: Ledger) -> None:
    floor = Floor(ledger)
    floor.open_session("t-1", "p215-casino-club", SECOND, {}, at(0))
    assert findings(url) == [], "nothing was posted yet"
    ledger.post_terms("t-1", "p215-casino-club", FIRST, None, at(10))
    ledger.open_round("t-1", {"player_dealer": {"seat": 1, "wager": "500.00"}}, at(20))
    (found,) = findings(url)
    assert found == "Table t-1 has posted schedule 1 and not 3."
    floor.open_session("t-2", "uth-casino-club", TermsDocument(), {}, at(0))
    ledger.post_terms("t-2", "p215-casino-club", FIRST, None, at(1))
    floor.close_session("t-2", at(2))
    assert len(findings(url)) == 1, "a session may be open while the placard is changed"
    floor.open_session("t-2", "uth-casino-club", TermsDocument(), {}, at(3))
    assert "Table t-2 has p215-casino-club posted, and not uth-casino-club." in findings(url)


def test_a_designation_and_a_choice_are_checked_too(url: str, ledger: Ledger) -> None:
    ledger.designate_table("t-1", "uth-bgc", "UTH 1, red label", "ULTIMATE", "Ultimate, 10 to 100", at(0))
    ledger.choose_terms("uth-bgc", "UTH-02", None, {"ante": ("10.00", "100.00")}, 0, at(0))
    (row,) = reported(url, "designations")
    assert (row["table"], row["inscription"], row["designated_by"]) == ("t-1", "ULTIMATE", "floor-1")
    (row,) = reported(url, "choices")
    assert (row["trips"], row["limits"]) == ("UTH-02", "ante 10.00 to 100.00")
    floor = Floor(ledger)
    narrow = TermsDocument(trips="UTH-02", limits={"ante": ("10.00", "50.00")})
    floor.open_session("t-1", "uth-bgc", narrow, {}, at(1))
    assert findings(url) == []
    floor.open_session("t-2", "uth-bgc", TermsDocument(trips="UTH-01"), {}, at(1))
    floor.close_session("t-1", at(2))
    floor.open_session("t-1", "tcp-casino-club", FIRST, {}, at(3))
    assert sorted(findings(url)) == [
        "Table t-1 is designated for uth-bgc, and not for tcp-casino-club.",
        "The property's limits for ante are 10.00 to 100.00, and these are 5.00 to 500.00.",
        "The property's pay table for uth-bgc is UTH-02, and this is UTH-01.",
    ]


def test_a_strict_property_opens_tables_with_posted_terms_only(url: str) -> None:
    with closing(Ledger(url, adopted_only=True)) as ledger:
        text = rulesets.in_force("p215-casino-club", date(2026, 3, 2)).text
        approval = Approval("GEGA-1", date(2026, 2, 1))
        ledger.adopt_rules(text, "p215-casino-club", Days(date(2026, 3, 2)), approval, "floor-2", at(-9))
        floor = Floor(ledger)
        ledger.post_terms("t-1", "p215-casino-club", FIRST, None, at(0))
        with pytest.raises(BadTerms, match="Table t-1 has posted schedule 1 and not 3"):
            floor.open_session("t-1", "p215-casino-club", SECOND, {}, at(1))
        floor.open_session("t-1", "p215-casino-club", FIRST, {}, at(2))
        ledger.choose_terms("p215-casino-club", None, (1, 2), {}, 30, at(3))
        with pytest.raises(BadTerms, match="offers the schedules 1, 2"):
            floor.open_session("t-9", "p215-casino-club", SECOND, {}, at(4))
        with pytest.raises(BadTerms, match="offers the schedules 1, 2"):
            ledger.post_terms("t-9", "p215-casino-club", SECOND, ms(99), at(4))
        with pytest.raises(BadChoice, match="at least 30 minutes ahead"):
            ledger.post_terms("t-9", "p215-casino-club", FIRST, ms(33), at(4))
        ledger.take_down("t-1", None, at(5))
        floor.close_session("t-1", at(6))
        with pytest.raises(BadTerms, match="Nothing is posted at table t-1"):
            floor.open_session("t-1", "p215-casino-club", FIRST, {}, at(7))
        with pytest.raises(BadChoice, match="Nothing is posted"):
            ledger.take_down("t-2", None, at(8))
        with pytest.raises(BadChoice, match="now or later"):
            ledger.post_terms("t-1", "p215-casino-club", FIRST, ms(7), at(8))
    assert findings(url) == []


def test_a_strict_property_refuses_rounds_once_another_posting_has_begun(url: str) -> None:
    def begin(name: str, minute: int) -> None:
        bank = {"seat": 3, "bettor": "p-3", "wager": "1000.00"}
        ledger.open_round("t-1", {"round": name, "player_dealer": bank, "players": {"3": "p-3"}}, at(minute))

    with closing(Ledger(url, adopted_only=True)) as ledger:
        text = rulesets.in_force("p215-casino-club", date(2026, 3, 2)).text
        approval = Approval("GEGA-1", date(2026, 2, 1))
        ledger.adopt_rules(text, "p215-casino-club", Days(date(2026, 3, 2)), approval, "floor-2", at(-9))
        floor = Floor(ledger)
        ledger.post_terms("t-1", "p215-casino-club", FIRST, None, at(0))
        floor.open_session("t-1", "p215-casino-club", FIRST, {}, at(1))
        ledger.post_terms("t-1", "p215-casino-club", SECOND, ms(5), at(2))
        begin("r-1", 3)
        ledger.act("r-1", [{"do": "void", "reason": "misdeal"}], at(6))
        with pytest.raises(BadTerms, match="Table t-1 has posted schedule 3 and not 1"):
            begin("r-2", 7)
        floor.close_session("t-1", at(8))
        floor.open_session("t-1", "p215-casino-club", SECOND, {}, at(9))
        begin("r-3", 10)
    assert findings(url) == []


def test_a_progressive_is_posted_without_its_meter(ledger: Ledger) -> None:
    posted = ledger.post_terms("t-1", "uth-sd", TermsDocument(trips="UTH-01", progressive="PMG-01"), None, at(0))
    assert posted.posted.terms["progressive"] == "PMG-01"
    with pytest.raises(BadTerms):
        ledger.choose_terms("uth-sd", "UTH-09", None, {}, 0, at(0))
    with pytest.raises(BadTerms):
        ledger.choose_terms("uth-sd", None, (1,), {}, 0, at(0))
    with pytest.raises(BadTerms):
        ledger.choose_terms("uth-sd", None, None, {"blind": ("1.00", "2.00")}, 0, at(0))
