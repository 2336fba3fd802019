"""Checks an evidence bundle with neither database nor network, and reports each fault by name.

First that every byte is as it was packed, then that what was packed is true: the checkpoint is signed, every event is
in the log under it, the rule set is the one that the round names, the cards are those that were sealed, the round is
decided again from its facts, and every other file follows from that."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from domain.audit.round_audit import audit_round
from domain.documents.result import result_of
from domain.errors import Refusal
from domain.rules.adoption import RuleSetAdopted
from domain.rules.loader import RuleSetError
from infra.ledger.replay import Replay
from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.log.leaves import BadEntry
from infra.log.merkle import leaf_hash
from infra.log.proofs import parse_proof
from infra.log.signed_notes import BadNote, Verifier, parse_verifier
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.evidence import bundle
from projections.evidence.bundle import Evidence, NotARound, Sealed
from projections.evidence.zip_file import Damaged, unpack

MOST_TEXT_BYTES = 1 << 20
MOST_MANIFEST_BYTES = 4 << 20  # a line for each file
LONGEST_DETAIL = 200


class Fault(Struct, frozen=True):
    """A fault, and the file of the bundle."""

    file: str
    detail: str


class Verdict(Struct):
    """`trusted`: a key or a checkpoint from elsewhere vouches for the bundle, not only the key that came with it."""

    faults: list[Fault] = []
    notes: list[str] = []
    trusted: bool = False
    evidence: Evidence | None = None
    result: dict[str, Any] | None = None

    @property
    def good(self) -> bool:
        return not self.faults

    def fault(self, file: str, detail: str) -> None:
        self.faults.append(Fault(file, detail))


def verify(data: bytes, keys: Sequence[Verifier] = (), outside: Sequence[Checkpoint] = ()) -> Verdict:
    """Verify a bundle. `keys` and `outside` are the log's keys and checkpoints as the verifier knows them from
    elsewhere."""
    verdict = Verdict()
    try:
        files = unpack(data)
    except Damaged as damaged:
        verdict.fault(damaged.where, damaged.detail)
        return verdict
    try:
        _check_all(files, keys, outside, verdict)
    except _Wrong as wrong:
        verdict.faults.append(wrong.fault)
    except Exception as error:
        # The author of the bundle chose every value, and the engine trusts what it decided itself. A bundle made by the
        # ledger does not lead here: making it took the same path.
        detail = f"what they say cannot be followed as a round ({type(error).__name__}: {_first_words(error)})"
        verdict.fault(bundle.EVENTS, detail)
    return verdict


def _check_all(
    files: dict[str, bytes], keys: Sequence[Verifier], outside: Sequence[Checkpoint], verdict: Verdict
) -> None:
    _check_sizes(files)
    manifest = _check_manifest(files, verdict)
    if verdict.faults:
        return
    evidence = verdict.evidence = _read(files, manifest)
    _check_log(evidence, verdict)
    _check_trust(evidence, keys, outside, verdict)
    _check_round(files, manifest, evidence, verdict)


def _first_words(error: Exception) -> str:
    return str(error)[:LONGEST_DETAIL]


class _Wrong(Exception):
    def __init__(self, file: str, detail: str) -> None:
        super().__init__(detail)
        self.fault = Fault(file, detail)


# ---- bytes


def _check_sizes(files: dict[str, bytes]) -> None:
    """Check sizes: parsing takes several times the size in memory."""
    for name, content in files.items():
        most = MOST_MANIFEST_BYTES if name == bundle.MANIFEST else MOST_TEXT_BYTES
        if name not in bundle.RENDERED and name != bundle.EVENTS and len(content) > most:
            raise _Wrong(name, f"it has more than {most:,} bytes")


def _check_manifest(files: dict[str, bytes], verdict: Verdict) -> dict[str, Any]:
    try:
        manifest = msgspec.json.decode(files[bundle.MANIFEST], type=dict[str, Any])
        listed = msgspec.convert(manifest["files"], dict[str, dict[str, Any]])
        if manifest["format"] != bundle.FORMAT:
            verdict.fault(bundle.MANIFEST, f"its format is not {bundle.FORMAT!r}")
    except (KeyError, RecursionError, msgspec.MsgspecError):
        verdict.fault(bundle.MANIFEST, "there is none, or it cannot be read")
        return {}
    for name in files.keys() - listed.keys() - {bundle.MANIFEST}:
        verdict.fault(name, "the manifest does not list it")
    for name, said in listed.items():
        if name not in files:
            verdict.fault(name, "the manifest lists it, but it is missing")
        elif said != {"bytes": len(files[name]), "sha256": sha256(files[name]).hexdigest()}:
            verdict.fault(name, "its hash is not the one in the manifest")
    return manifest


def _read(files: dict[str, bytes], manifest: dict[str, Any]) -> Evidence:
    checkpoint = _parsed(files, bundle.CHECKPOINT, parse_checkpoint)
    key = _parsed(files, bundle.KEY, parse_verifier)
    ruleset_text = _parsed(files, bundle.RULESET, str)
    sealed = []
    for name in files:
        if name.startswith("log/") and name.endswith(".entry"):
            proof = _parsed(files, f"{name.removesuffix('.entry')}.tlog-proof", parse_proof)
            one = Sealed(files[name], proof)
            try:
                readable = f"{bundle.entry_name(one)}.entry" == name and bool(one.row.topic)
            except BadEntry as error:
                raise _Wrong(name, f"it cannot be read: {error}") from None
            if not readable:
                raise _Wrong(name, "its proof is for another place in the log")
            sealed.append(one)
    round_id = manifest.get("round")
    if not isinstance(round_id, str) or not sealed:
        raise _Wrong(bundle.MANIFEST, "it names no round, or there are no events")
    return Evidence(round_id=round_id, ruleset_text=ruleset_text, sealed=tuple(sealed), checkpoint=checkpoint, key=key)


def _parsed(files: dict[str, bytes], name: str, parse: Any) -> Any:
    try:
        return parse(files[name].decode())
    except KeyError:
        raise _Wrong(name, "it is not there") from None
    except (BadNote, UnicodeDecodeError) as error:
        raise _Wrong(name, f"it cannot be read: {error}") from None


# ---- the log


def _check_log(evidence: Evidence, verdict: Verdict) -> None:
    checkpoint = evidence.checkpoint
    if not checkpoint.trusted_by([evidence.key]):
        verdict.fault(bundle.CHECKPOINT, "it is not signed with the key of the bundle")
    for sealed in evidence.sealed:
        name = bundle.entry_name(sealed)
        if sealed.proof.checkpoint != checkpoint:
            verdict.fault(f"{name}.tlog-proof", "it is under another checkpoint")
        elif not sealed.proof.proves(leaf_hash(sealed.entry)):
            verdict.fault(f"{name}.entry", "the log does not have this entry at that place")
    rows = [sealed.row for sealed in evidence.of_round]
    expected = stream_id("round", evidence.round_id)
    for sealed, row in zip(evidence.of_round, rows, strict=True):
        if row.originator_id != expected:
            detail = f"it is not an event of round {evidence.round_id}"
            verdict.fault(f"{bundle.entry_name(sealed)}.entry", detail)
    indexes = [sealed.proof.index for sealed in evidence.of_round]
    if indexes != sorted(set(indexes)) or [row.position for row in rows] != sorted({row.position for row in rows}):
        verdict.fault(bundle.EVENTS, "the events are not in the order of the log")


def _check_trust(evidence: Evidence, keys: Sequence[Verifier], outside: Sequence[Checkpoint], verdict: Verdict) -> None:
    checkpoint = evidence.checkpoint
    if keys:
        if checkpoint.trusted_by(keys):
            verdict.trusted = True
        else:
            named = ", ".join(key.text() for key in keys)
            detail = f"it is signed with {evidence.key.text()}, not with the key that you expect: {named}"
            verdict.fault(bundle.CHECKPOINT, detail)
        cosigned = checkpoint.note.signed_by(key for key in keys if key.name != checkpoint.origin)
        verdict.notes += [f"Cosigned by {key.name}." for key in cosigned]
    for known in outside:
        if known.origin != checkpoint.origin:
            detail = f"it is of the log {checkpoint.origin}, and the checkpoint that you have is of {known.origin}"
            verdict.fault(bundle.CHECKPOINT, detail)
        elif known.size != checkpoint.size:
            verdict.notes.append(
                f"The checkpoint that you have is of {known.size} events and the bundle's of {checkpoint.size}: "
                "offline they cannot be compared. Ask for one under yours: evidence ROUND --checkpoint FILE."
            )
        elif known.root != checkpoint.root:
            verdict.fault(bundle.CHECKPOINT, "its root is not that of the checkpoint that you have: a fork")
        else:
            verdict.trusted = True
    if not verdict.trusted:
        verdict.notes.append(
            f"NOT TRUSTED YET: only the bundle itself vouches for its key, {evidence.key.text()}. Compare it with the "
            "key as you know it from elsewhere, or give that with --key."
        )


# ---- the round


def _check_round(files: dict[str, bytes], manifest: dict[str, Any], evidence: Evidence, verdict: Verdict) -> None:
    try:
        story = bundle.story_of(evidence)
    except (NotARound, LookupError, ValueError, RecursionError, RuleSetError, Refusal, msgspec.MsgspecError) as error:
        verdict.fault(bundle.EVENTS, f"they cannot be read as a round: {error}")
        return
    _check_rules(evidence, story, verdict)
    verdict.result = result_of(story.steps[-1].round)
    events = [step.entry.event for step in story.steps[1:]]
    for at, finding in audit_round(story.steps[0].round, events):
        if finding.is_note:
            verdict.notes.append(f"Event {at + 2}: {finding.what}")
            continue
        figures = f" Expected {finding.expected}, found {finding.found}." if finding.expected or finding.found else ""
        verdict.fault(bundle.EVENTS, f"event {at + 2}: {finding.what}{figures}")
    _check_files(files, manifest, evidence, verdict)


def _check_rules(evidence: Evidence, story: Replay, verdict: Verdict) -> None:
    opened = story.steps[0].entry.event
    if opened.round != evidence.round_id:
        verdict.fault(bundle.MANIFEST, f"the events are those of round {opened.round}")
    if story.steps[0].round.rules.content_hash != opened.ruleset_hash:
        verdict.fault(bundle.RULESET, "it is not the rule set that the round was opened with")
    adopted = [sealed for sealed in evidence.sealed if sealed.row.topic == bundle.RULES_TOPIC]
    for sealed in adopted:
        event = TOPICS.decoder(sealed.row.topic)(sealed.row.state).event
        same = isinstance(event, RuleSetAdopted) and event.text == evidence.ruleset_text
        if not same or sealed.row.originator_id != stream_id("rules", opened.ruleset_hash):
            verdict.fault(bundle.RULESET, "it is not the text that was sealed")


def _check_files(files: dict[str, bytes], manifest: dict[str, Any], evidence: Evidence, verdict: Verdict) -> None:
    """Make everything that follows from the events again, and compare."""
    made_with, kept = manifest.get("rendered_with"), None
    if made_with != bundle.rendered_with():
        kept = {name: files.get(name, b"") for name in bundle.RENDERED}
        verdict.notes.append(
            "README.txt, round.html and round.pdf were made by other versions of our programs and are not compared "
            "with the events; `roundledger replay` and the other files tell the round."
        )
    expected = bundle.files_of(evidence, kept, made_with)
    if list(expected) != list(files):
        verdict.fault("the zip's directory", "it has other files, or in another order")
    for name, content in expected.items():
        if files.get(name) != content:
            verdict.fault(name, "it does not say what the sealed events say")
