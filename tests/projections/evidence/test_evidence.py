"""Evidence bundles: they verify, the same input gives the same bytes, and whatever is changed is found and named."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from domain.cards import face
from domain.round.events import CardsTurned
from domain.rules.adoption import Approval, Days, day_of
from infra.ledger.ledger import Actor, Ledger, UnknownRound
from infra.log.checkpoints import sign
from infra.log.keys import new_signer
from infra.log.leaves import entry_of, leaf_hash_of
from infra.log.merkle import leaf_hash
from infra.log.proofs import Proof, hash_lines
from infra.log.signed_notes import Verifier
from infra.log.witness import Witness
from infra.simulation import documents
from infra.simulation.table import Table
from projections.evidence import bundle
from projections.evidence.bundle import Evidence, Sealed, files_of, story_of
from projections.evidence.current_bundle import make, sealed_evidence
from projections.evidence.sources import NoEvidence, NotSealed, gather
from projections.evidence.verification import verify
from projections.evidence.zip_file import Damaged, pack, unpack
from tests.domain.rules.own_rules import own_text
from tests.domain.stored_rounds import cards_in
from tests.sealed_ledger import AT_MS, RULESETS, SEED, as_superuser, log_of, record_rounds, seal

ROUNDS = {ruleset: f"{ruleset}-s{SEED}-t1-000003" for ruleset in RULESETS}
CHANGES = 300  # of single bytes; `python -m tests.projections.evidence.byte_changes` makes as many as one likes


@pytest.fixture(scope="module", params=RULESETS)
def evidence(request: pytest.FixtureRequest, sealed_url: str) -> Evidence:
    with log_of(sealed_url) as log:
        return gather(log, ROUNDS[request.param])


@pytest.fixture(scope="module")
def one(sealed_url: str) -> Evidence:
    with log_of(sealed_url) as log:
        return gather(log, ROUNDS["uth-casino-club"])


def named(verdict) -> set[str]:
    return {fault.file for fault in verdict.faults}


def test_a_bundle_holds_and_is_the_same_every_time(evidence: Evidence):
    data = pack(files_of(evidence))
    assert data == pack(files_of(evidence))
    verdict = verify(data, [evidence.key])
    assert verdict.faults == []
    assert verdict.notes == []
    assert verdict.trusted
    assert verdict.result is not None
    assert verdict.result["status"] == "settled"


def test_any_zip_program_can_read_it(one: Evidence):
    files = files_of(one)
    with zipfile.ZipFile(BytesIO(pack(files))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == files
    assert files[bundle.PAPER].startswith(b"%PDF")
    assert {"manifest.json", "README.txt", "round.html", "result.json", "ruleset.toml", "terms.json"} <= files.keys()


def test_a_bundle_without_a_known_key_does_not_look_trusted(one: Evidence):
    verdict = verify(pack(files_of(one)))
    assert verdict.good
    assert not verdict.trusted
    assert verdict.notes[0].startswith("NOT TRUSTED YET")


def test_a_bundle_under_another_key_than_the_expected_one_does_not_hold(one: Evidence):
    stranger = new_signer(one.key.name).verifier
    assert named(verify(pack(files_of(one)), [stranger])) == {bundle.CHECKPOINT}


LOCAL_HEADER = 30  # bytes before a file's name


def test_every_changed_byte_is_found_and_named(one: Evidence):
    data = pack(files_of(one))
    known = {*files_of(one), "the beginning of the zip", "the zip's directory", "the zip's end"}
    dice = random.Random(SEED)
    for _ in range(CHANGES):
        at = dice.randrange(len(data))
        changed = bytearray(data)
        changed[at] ^= dice.randrange(1, 256)
        verdict = verify(bytes(changed), [one.key])
        assert not verdict.good, at
        assert verdict.faults[0].file in known, at


def test_a_changed_length_or_mark_before_a_file_names_that_file(one: Evidence):
    """A changed name itself disagrees with the directory, and nobody knows which of them is right."""
    files = files_of(one)
    data = pack(files)
    for name in (bundle.MANIFEST, bundle.RESULT, *[name for name in files if name.endswith(".tlog-proof")][-1:]):
        content = data.index(name.encode() + files[name])
        for at in range(content - LOCAL_HEADER, content):
            for bit in range(8):
                changed = bytearray(data)
                changed[at] ^= 1 << bit
                with pytest.raises(Damaged) as damaged:
                    unpack(bytes(changed))
                assert damaged.value.where in {name, "the beginning of the zip"}, (at - content, bit)


def test_a_changed_byte_in_a_file_names_that_file(one: Evidence):
    files = files_of(one)
    data = pack(files)
    for name in (bundle.PAPER, bundle.RESULT, bundle.EVENTS, bundle.KEY, bundle.MANIFEST):
        at = data.rindex(files[name]) + len(files[name]) // 2
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert named(verify(changed)) == {name}


@pytest.mark.parametrize("damage", [b"", b"PK", b"nonsense", b"PK\x03\x04" + bytes(10)])
def test_what_is_no_bundle_is_refused(damage: bytes):
    assert not verify(damage).good
    with pytest.raises(Damaged):
        unpack(damage)


def test_a_bundle_made_to_trouble_whoever_reads_it_is_a_damaged_one():
    deep = b'{"files":' + b"[" * 100_000
    assert [fault.file for fault in verify(pack({"manifest.json": deep})).faults] == ["manifest.json"]


def test_something_cut_off_or_added_is_found(one: Evidence):
    data = pack(files_of(one))
    for changed in (data[:-1], data[: len(data) // 2], data + b"x", b"x" + data):
        assert not verify(changed, [one.key]).good


# ---- put together again by somebody who knows how: hashes and zip are right, what they say is not


def repacked(one: Evidence, **changes: bytes) -> bytes:
    files = {
        **files_of(one),
        **{name.replace("__", "/").replace("_dot_", "."): value for name, value in changes.items()},
    }
    manifest = bundle.manifest_of(one, {k: v for k, v in files.items() if k != bundle.MANIFEST}, bundle.rendered_with())
    return pack({**files, bundle.MANIFEST: manifest})


@pytest.mark.parametrize(
    "name",
    [
        bundle.README,
        bundle.PAGE,
        bundle.PAPER,
        bundle.EVENTS,
        bundle.RESULT,
        bundle.RULESET,
        bundle.TERMS,
        bundle.BODY,
        bundle.SIGNATURE,
        bundle.KEY_PEM,
    ],
)
def test_a_file_that_does_not_say_what_was_sealed(one: Evidence, name: str):
    content = files_of(one)[name]
    at = content.find(b"25.00") if b"25.00" in content else len(content) // 3
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    assert name in named(verify(repacked(one, **{name: changed}), [one.key]))


def test_a_file_too_many_or_too_few(one: Evidence):
    assert "the zip's directory" in named(verify(repacked(one, **{"extra.txt": b"see here"}), [one.key]))
    files = files_of(one)
    del files[bundle.TERMS]
    files.pop(bundle.MANIFEST)
    data = pack({bundle.MANIFEST: bundle.manifest_of(one, files, bundle.rendered_with()), **files})
    assert {bundle.TERMS, "the zip's directory"} <= named(verify(data, [one.key]))


def forged(one: Evidence, change: Callable[[bytes], bytes]) -> Evidence:
    """One line of the round changed, and a log of the forger's own around it."""
    rows = [sealed.row for sealed in one.sealed]
    at = next(at for at, row in enumerate(rows) if row.topic == "round.line_settled.v1")
    rows[at] = rows[at]._replace(state=change(rows[at].state))
    from infra.log.proofs import Nodes, inclusion
    from infra.log.tiles import Tree

    hashes, tree = [leaf_hash_of(row) for row in rows], Tree()
    tree.add(b"".join(hashes))

    class Kept:
        def tile(self, level: int, number: int, width: int) -> bytes:
            return b"".join(hashes)[: width * 32]

    signer = new_signer(one.key.name)
    checkpoint = sign(signer.name, len(rows), tree.root(), [signer])
    nodes = Nodes(Kept(), len(rows))
    sealed = [
        Sealed(entry_of(row), Proof(index, tuple(inclusion(nodes, index, len(rows))), checkpoint))
        for index, row in enumerate(rows)
    ]
    return Evidence(one.round_id, one.ruleset_text, tuple(sealed), checkpoint, signer.verifier)


def test_a_round_that_the_rules_decide_otherwise(one: Evidence):
    """Even in a log of the forger's own, signed with their own key."""

    def dearer(state: bytes) -> bytes:
        entry = msgspec.json.decode(state)
        entry[0][8] += 100  # paid
        return msgspec.json.encode(entry)

    verdict = verify(pack(files_of(forged(one, dearer))))
    assert named(verdict) == {bundle.EVENTS}
    assert verify(pack(files_of(forged(one, lambda state: state)))).good, "without the change it agrees with itself"
    kept = forged(one, lambda state: state)
    assert named(verify(pack(files_of(kept)), [one.key])) == {bundle.CHECKPOINT}, "but not with the key that is known"


def test_an_event_of_the_log_exchanged_for_another(one: Evidence):
    first, second = one.sealed[3], one.sealed[4]
    name = bundle.entry_name(first)
    files = {**files_of(one), f"{name}.entry": second.entry}
    files.pop(bundle.MANIFEST)
    data = pack({bundle.MANIFEST: bundle.manifest_of(one, files, bundle.rendered_with()), **files})
    assert f"{name}.entry" in named(verify(data, [one.key]))


def test_a_page_of_another_version_is_not_compared_and_that_is_said(one: Evidence):
    made_with = {**bundle.rendered_with(), "reportlab": "1.0"}
    kept = dict.fromkeys(bundle.RENDERED, b"rendered otherwise")
    verdict = verify(pack(files_of(one, kept, made_with)), [one.key])
    assert verdict.good
    assert any("other versions" in note for note in verdict.notes)


# ---- a checkpoint that was kept elsewhere


def test_a_checkpoint_from_elsewhere_vouches_for_a_bundle(one: Evidence, sealed_url: str):
    data = pack(files_of(one))
    assert verify(data, outside=[one.checkpoint]).trusted
    fork = one.checkpoint._replace(root=leaf_hash(b"another history"))
    assert named(verify(data, outside=[fork])) == {bundle.CHECKPOINT}
    with log_of(sealed_url) as log:
        earlier = next(log.checkpoints()).parsed()
    verdict = verify(data, outside=[earlier])
    assert verdict.good
    assert not verdict.trusted
    assert any("cannot be compared" in note for note in verdict.notes)
    assert named(verify(data, outside=[one.checkpoint._replace(origin="another.example")])) == {bundle.CHECKPOINT}


def test_a_bundle_under_a_checkpoint_that_a_witness_has_cosigned(sealed_url: str, tmp_path: Path):
    witness = Witness(tmp_path, "auditor.example/w1")
    with log_of(sealed_url) as log:
        first = next(log.checkpoints())
        cosigned = witness.look(first.note, lambda old, new: [], 1_790_000_000, trusted=log.keys())
        evidence = gather(log, ROUNDS["uth-casino-club"], cosigned)
        assert evidence.checkpoint.size == first.size
        verdict = verify(pack(files_of(evidence)), [*log.keys(), witness.key])
        assert verdict.trusted
        assert verdict.notes == ["Cosigned by auditor.example/w1."]
        with pytest.raises(NotSealed):
            gather(log, ROUNDS["tcp-casino-club"], cosigned)


# ---- what there is evidence of


def test_no_card_that_was_never_turned_over_is_in_a_bundle(copy: Callable[[], str], keys: Path):
    url = copy()
    ids = record_rounds(url, "uth-bgc", 12, seed=3)
    seal(url, keys)
    closed = 0
    with log_of(url) as log:
        ledger = Ledger(url)
        for round_id in ids:
            evidence = gather(log, round_id)
            turned = {
                step.entry.event.of for step in story_of(evidence).steps if isinstance(step.entry.event, CardsTurned)
            }
            stored = ledger.load(round_id)
            for card in ledger.sealed_cards(round_id):
                event = stored.entries[card.originator_version - 1].event
                if event.to in turned or event.to == "board":
                    continue
                closed += 1
                assert not named_in(files_of(evidence), card.salt, card.card)
        ledger.close()
    assert closed, "or nothing was tested"


def named_in(files: dict[str, bytes], salt: bytes, cards: str) -> list[str]:
    """The files that give away a salt or a card; there is one deck, so nobody else can have it."""
    cards_ = [cards[at : at + 2] for at in range(0, len(cards), 2)]
    drawn = [face(card) for card in cards_ if card != "??"]
    found = [name for name, content in files.items() if msgspec.json.encode(salt)[1:-1] in content]
    for name in (bundle.EVENTS, bundle.RESULT):
        found += [name] if cards_in(files[name].decode()) & set(cards_) else []
    found += [bundle.PAGE for card in drawn if card in files[bundle.PAGE].decode()]
    return found


def play(url: str, cut: int, *more: dict[str, str]) -> str:
    """A round that ends before its end, or otherwise than by settling."""
    ledger = Ledger(url)
    document = msgspec.json.decode(next(iter(documents("uth-house", 99, 1))))
    document["actions"] = [*document["actions"][:cut], *more]
    result = ledger.record(document, Actor("dealer-1", AT_MS))
    ledger.close()
    assert result["error"] is None, result
    return str(result["id"])


@pytest.mark.parametrize("status", ["open", "void"])
def test_a_round_that_was_not_settled(copy: Callable[[], str], keys: Path, status: str):
    url = copy()
    round_id = play(url, 4, *([{"do": "void", "reason": "misdeal"}] if status == "void" else []))
    with log_of(url) as log:
        with pytest.raises(NotSealed):
            gather(log, round_id)
        evidence = sealed_evidence(log, round_id, keys)
        verdict = verify(pack(files_of(evidence)), [evidence.key])
    assert verdict.faults == []
    assert verdict.result is not None
    assert verdict.result["status"] == status


def test_a_round_by_an_adopted_rule_set(copy: Callable[[], str], keys: Path):
    url, day = copy(), day_of(AT_MS)
    ledger = Ledger(url)
    text = own_text("hill-three-card", day)
    adopted = Approval("GEGA-1"), "floor-2", Actor("floor-1", AT_MS)
    rules = ledger.adopt_rules(text, "hill-three-card", Days(day), *adopted).rules
    document = msgspec.json.decode(Table(rules, "hill-1", 1, random.Random(1)).next_document())
    result = ledger.record(document, Actor("dealer-1", AT_MS))
    ledger.close()
    assert result["error"] is None
    with log_of(url) as log:
        evidence = sealed_evidence(log, result["id"], keys)
        verdict = verify(pack(files_of(evidence)), [evidence.key])
    assert (verdict.faults, verdict.trusted, evidence.ruleset_text) == ([], True, text)


def test_a_corrected_round(copy: Callable[[], str], keys: Path):
    url, round_id = copy(), ROUNDS["uth-casino-club"]
    ledger = Ledger(url)
    line = ledger.load(round_id).round.lines[0]
    from domain.round.corrections import Entry

    entry = Entry(line.seat, line.bettor, line.spot, 500, "house", line.hand)
    ledger.correct(round_id, "Misread card", "floor-2", [entry], Actor("floor-1", AT_MS))
    ledger.close()
    with log_of(url) as log:
        before = gather(log, ROUNDS["tcp-casino-club"])
        data = make(log, round_id, keys)
        assert verify(data, log.keys()).faults == []
        assert b"Misread card" in unpack(data)[bundle.PAGE]
        assert gather(log, ROUNDS["tcp-casino-club"]).checkpoint.size > before.checkpoint.size


def test_there_is_no_evidence_of_what_was_changed(copy: Callable[[], str]):
    url = copy()
    with log_of(url) as log:
        row = gather(log, ROUNDS["uth-casino-club"]).of_round[5].row
        with as_superuser(url) as connection:
            connection.execute("UPDATE roundledger.events SET state = state || ' ' WHERE position = %s", [row.position])
        with pytest.raises(NoEvidence, match="not as it was sealed"):
            gather(log, ROUNDS["uth-casino-club"])
        with pytest.raises(UnknownRound):
            gather(log, "no-such-round")


def test_what_a_stranger_is_told(one: Evidence):
    readme = files_of(one)[bundle.README].decode()
    assert one.key.text() in readme
    assert "openssl pkeyutl -verify" in readme
    assert isinstance(one.key, Verifier)
    proof = one.sealed[0].proof
    assert hash_lines(proof.hashes) in proof.text()
