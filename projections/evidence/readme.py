"""The README of a bundle, for readers who do not know this program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from projections.evidence.bundle import Evidence

TIMES = "Times are UTC: the log does not seal which clock the property keeps."

_TEXT = """\
Evidence of round {round}
{line}

These files are one round of play as it was recorded, and what is needed to prove that it was recorded so and not
changed since. round.html and round.pdf show the round.

  events.jsonl        the events as they are stored, one a line: "state" is the stored text, to the byte
  result.json         what was decided, every line with its clause and its reason
  ruleset.toml        the rule set of that day; its SHA-256 is in the first event
  terms.json          the table's terms
  log/checkpoint.txt  the log's size and root, signed (a C2SP signed note); .body is what is signed, .sig the signature
  log/key.txt         the key that signed it, as Go's sumdb/note reads it; .pem the same for openssl
  log/N.entry         entry N of the log, which is one event
  log/N.tlog-proof    that it is in the log (C2SP tlog-proof)
  manifest.json       the SHA-256 of every file

With our program, without a network:

  roundledger verify {round}.zip --key KEY

KEY is the log's key as you know it from elsewhere: from the regulator, the house's own page, an earlier paper. A key
that came with this bundle proves only that the bundle agrees with itself. The key in here is

  {key}

Without our program:

  openssl pkeyutl -verify -pubin -inkey log/key.pem -rawin -in log/checkpoint.body -sigfile log/checkpoint.sig

and each entry is in the log if SHA-256 of a zero byte and the entry, joined with the hashes of its proof as RFC 6962
(2.1.1) has it, gives the root in the third line of the checkpoint. Go's golang.org/x/mod/sumdb/tlog.CheckRecord does
that.

An entry is: 1 byte 1; 8 bytes position; 8 bytes microseconds since 2000-01-01 UTC; 16 bytes the id of the round; 4
bytes the event's number in the round; 1 byte the length of the topic; the topic; the state. Numbers are big-endian.

Times are UTC, in every file: which clock the property keeps is a setting of its reports and not sealed in the log, so
nobody could check it here.

A card that is null was dealt face down and never turned over; a salted commitment to it is stored with it. A bundle
shows a round as of the size of its checkpoint: {size} events of the log. What was noted or corrected later is not in
it.
"""


def readme_of(evidence: Evidence) -> str:
    return _TEXT.format(
        round=evidence.round_id,
        line="=" * (len(evidence.round_id) + 18),
        key=evidence.key.text(),
        size=evidence.checkpoint.size,
    )
