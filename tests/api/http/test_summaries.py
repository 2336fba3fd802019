"""A day and a shift over HTTP: the same figures as the command line's, and the sheet to sign."""

from __future__ import annotations

import psycopg
import pytest

from projections.engine.rebuild import rebuild
from tests.projections.simulated_floor import NOON_MS, record, simulated

DAY = "2026-09-21"


@pytest.fixture(scope="module")
def played(client):
    rounds = simulated(4, tables=2, only="uth-casino-club")
    record(client.app.state.service.ledger, rounds, NOON_MS)
    return len(rounds)


def test_a_day_and_its_shift_are_summed_up(client, played):
    day = client.get("/v1/summaries/day", params={"gaming_day": DAY}).json()
    assert (day["gaming_day"], day["totals"]["rounds"]) == (DAY, played)
    assert day["totals"]["fees"] == f"{sum(float(row['fees']) for row in day['fees']):.2f}" != "0.00"
    shift = day["fees"][0]["shift"]
    one = client.get("/v1/summaries/shift", params={"gaming_day": DAY, "shift": shift}).json()
    assert (one["shift"], one["totals"]) == (shift, day["totals"])
    past = client.get("/v1/summaries/day", params={"gaming_day": DAY, "as_of": "2026-01-01T00:00:00Z"}).json()
    assert past["totals"]["rounds"] == 0


def test_a_limit_is_one_of_rows_and_not_of_totals(client, played):
    params = {"gaming_day": DAY}
    whole, cut = (client.get("/v1/summaries/day", params={**params, **more}).json() for more in ({}, {"limit": 1}))
    assert (cut["totals"], cut["shifts"]) == (whole["totals"], whole["shifts"])
    for key, left_out in cut["left_out"].items():
        assert cut[key] == whole[key][:1]
        assert left_out == len(whole[key][1:])
    assert cut["left_out"]["rounds"] == 1


def test_the_sheet_is_a_pdf(client, played):
    sheet = client.get("/v1/summaries/day", params={"gaming_day": DAY, "format": "pdf"})
    assert sheet.content.startswith(b"%PDF-")
    assert sheet.headers["content-disposition"] == 'attachment; filename="day.pdf"'


@pytest.mark.parametrize(
    ("path", "params", "status"),
    [
        ("week", {}, 404),
        ("day", {"format": "csv"}, 400),
        ("day", {"gaming_day": "yesterday"}, 400),
        ("day", {"shift": "swing"}, 409),
        ("shift", {"shift": "swing"}, 409),
    ],
)
def test_what_cannot_be_summed_up_is_refused(client, played, path, params, status):
    assert client.get(f"/v1/summaries/{path}", params=params).status_code == status


def test_what_is_remembered_of_a_report_is_forgotten_when_the_report_is_rebuilt(client, played, ledger_url):
    right = client.get("/v1/reports/bankroll").json()
    with psycopg.connect(ledger_url, autocommit=True) as connection:
        connection.execute("UPDATE projections.bankroll_totals SET wagered = wagered + 1")
    rebuild(ledger_url, ["bankroll"])
    with psycopg.connect(ledger_url, autocommit=True) as connection:
        connection.execute("UPDATE projections.bankroll_totals SET wagered = wagered + 1")
    assert client.get("/v1/reports/bankroll").json() != right
    rebuild(ledger_url, ["bankroll"])
    assert client.get("/v1/reports/bankroll").json() == right
