"""Addresses that ask for the same again, with one thing changed."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from api.pages.rendering.addresses import address, addresses


def test_addresses_of_many_values_are_those_of_each():
    query = {"first": "2026-03-08", "table": "t 1&2", "shift": None}
    tables = ["t1", "t 1&2", "t=3"]
    for asked in (query, {}):
        for table, found in addresses("/collections", asked, "table", tables).items():
            one = urlsplit(address("/collections", asked, table=table))
            assert urlsplit(found).path == one.path
            assert parse_qs(urlsplit(found).query) == parse_qs(one.query)
