"""The files of an evidence bundle, made only from what was sealed.

The entries of the log are the evidence. Everything else follows from them, from the rule set's text and from the signed
checkpoint, reproducibly, so that a verifier can make it again."""

from __future__ import annotations

import zlib
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.documents.result import result_of
from domain.round.events import RoundOpened
from domain.round.state import Round, start
from domain.rules import rulesets
from infra.aggregates.rulebook import terms_of
from infra.ledger.replay import Replay, replay_events
from infra.log.checkpoints import Checkpoint
from infra.log.leaves import WHOLE, form_of, row_of
from infra.log.proofs import Proof
from infra.log.signed_notes import Verifier
from infra.store.encoding.topics import TOPICS
from infra.store.event_rows import LogRow

FORMAT = "roundledger evidence 1"
MANIFEST, README, PAGE, PAPER = "manifest.json", "README.txt", "round.html", "round.pdf"
EVENTS, RESULT, RULESET, TERMS = "events.jsonl", "result.json", "ruleset.toml", "terms.json"
CHECKPOINT, BODY, SIGNATURE = "log/checkpoint.txt", "log/checkpoint.body", "log/checkpoint.sig"
KEY, KEY_PEM = "log/key.txt", "log/key.pem"
RENDERED = (README, PAGE, PAPER)  # by versions of programs that need not be the verifier's
RENDERING_CODE = (
    "domain",
    "infra/ledger/replay.py",
    "projections/evidence",
    "projections/export/pdf_sheet.py",
    "projections/export/column_layout.py",
    "projections/export/formats.py",
    "projections/export/headings.py",
    "projections/export/typeface.py",
    "projections/export/fonts",
    "projections/export/round_tables.py",
)
RULES_TOPIC = "rules.adopted.v1"


class NotARound(ValueError):
    """Entries that are not a round, or not a whole one."""


class Sealed(Struct, frozen=True):
    """An entry of the log, byte for byte, and the proof that it is in the log."""

    entry: bytes
    proof: Proof

    @property
    def row(self) -> LogRow:
        return row_of(self.entry)


class Evidence(Struct, frozen=True):
    """`sealed` are the rule set's text as adopted, if the ledger has it, and the round's events in order."""

    round_id: str
    ruleset_text: str
    sealed: tuple[Sealed, ...]
    checkpoint: Checkpoint
    key: Verifier

    @property
    def of_round(self) -> list[Sealed]:
        return [sealed for sealed in self.sealed if sealed.row.topic != RULES_TOPIC]


def story_of(evidence: Evidence) -> Replay:
    """Return the round replayed from its entries alone; a card that was never turned over is not in them."""
    rows = []
    for sealed in evidence.of_round:
        if form_of(sealed.entry) != WHOLE:
            raise NotARound("An event is too long to be in a bundle; only its digest is sealed.")
        rows.append(sealed.row)
    if [row.originator_version for row in rows] != list(range(1, len(rows) + 1)) or not rows:
        raise NotARound("The events are not those of a round from its beginning on.")
    entries = [TOPICS.decoder(row.topic)(row.state) for row in rows]
    if not isinstance(entries[0].event, RoundOpened):
        raise NotARound("The first event does not open a round.")
    opening = opening_of(entries[0].event, evidence.ruleset_text)
    return replay_events(evidence.round_id, opening, entries, [row.recorded_at for row in rows])


def opening_of(opened: RoundOpened, ruleset_text: str) -> Round:
    rules = rulesets.parse(ruleset_text, f"{opened.ruleset}.toml")
    return start(rules, terms_of(rules, opened.terms), opened)


@cache
def _code_digest() -> str:
    """Return a digest of the rendering code: more precise than a version number."""
    root, found = Path(__file__).parents[2], sha256()
    for place in RENDERING_CODE:
        path = root / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".py", ".html", ".ttf"):
                found.update(f"{file.relative_to(root)}\n".encode() + sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]


def rendered_with() -> dict[str, str]:
    """Return what the page and the paper depend on besides the round."""
    programs = {name: version(name) for name in ("roundledger", "jinja2", "reportlab")}
    return {**programs, "zlib": zlib.ZLIB_RUNTIME_VERSION, "code": _code_digest()}


def files_of(evidence: Evidence, kept: dict[str, bytes] | None = None, made_with: Any = None) -> dict[str, bytes]:
    """Return all files by name, in the order of the zip. `kept`: page and paper as another version rendered them."""
    from projections.evidence.readme import readme_of
    from projections.evidence.round_html import page_of
    from projections.evidence.round_pdf import paper_of

    story = story_of(evidence)
    checkpoint, signed = evidence.checkpoint, None
    for signature in checkpoint.note.signatures:
        if evidence.key.accepts(checkpoint.note.body, signature):
            signed = signature.value
    rendered = kept or {
        README: readme_of(evidence).encode(),
        PAGE: page_of(story, evidence),
        PAPER: paper_of(story, evidence),
    }
    files = {
        **{name: rendered[name] for name in RENDERED},
        EVENTS: b"".join(_event_line(sealed) for sealed in evidence.sealed),
        RESULT: _pretty(result_of(story.steps[-1].round)),
        RULESET: evidence.ruleset_text.encode(),
        TERMS: _pretty(story.steps[0].entry.event.terms),
        CHECKPOINT: checkpoint.text().encode(),
        BODY: checkpoint.note.body.encode(),
        SIGNATURE: signed or b"",
        KEY: f"{evidence.key.text()}\n".encode(),
        KEY_PEM: evidence.key.pem().encode(),
    }
    for sealed in evidence.sealed:
        name = entry_name(sealed)
        files[f"{name}.entry"] = sealed.entry
        files[f"{name}.tlog-proof"] = sealed.proof.text().encode()
    return {MANIFEST: manifest_of(evidence, files, made_with or rendered_with()), **files}


def entry_name(sealed: Sealed) -> str:
    return f"log/{sealed.proof.index:09}"


def manifest_of(evidence: Evidence, files: dict[str, bytes], made_with: Any) -> bytes:
    return _pretty(
        {
            "format": FORMAT,
            "round": evidence.round_id,
            "log": evidence.checkpoint.origin,
            "log_size": evidence.checkpoint.size,
            "rendered_with": made_with,
            "files": {
                name: {"bytes": len(content), "sha256": sha256(content).hexdigest()} for name, content in files.items()
            },
        }
    )


def _event_line(sealed: Sealed) -> bytes:
    """Return the row as JSON; `state` is its text exactly as stored."""
    row = sealed.row
    shown = {
        "index": sealed.proof.index,
        "position": row.position,
        "recorded_at": row.recorded_at.isoformat(),
        "originator_id": str(row.originator_id),
        "originator_version": row.originator_version,
        "topic": row.topic,
        "state": row.state.decode(),
    }
    return msgspec.json.encode(shown) + b"\n"


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
