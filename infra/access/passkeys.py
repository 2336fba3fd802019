"""Passkeys (WebAuthn), used in place of a code or a password."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct
from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from infra.access.factors import Factors, Usable
from infra.access.pending_proofs import Kind, Proofs
from infra.store.database import Database

SCREEN_SECONDS = 300  # time to touch the key


class PasskeyRefused(Exception):
    """The browser did not present a valid passkey of this person."""


class Site(Struct, frozen=True):
    """The address of the service. A passkey is valid for this address only."""

    origin: str
    host: str


class PasskeyGiven(Struct, frozen=True):
    """What the browser presented, and the challenge that it kept."""

    credential: str
    kept: str | None
    site: Site
    address: str


class Passkeys:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._factors = Factors(database)
        self._proofs = Proofs(database)

    # ---- registering

    def registration(self, staff_id: str, name: str, site: Site) -> tuple[str, dict[str, Any]]:
        """Return the challenge that the browser keeps, and the options for its device."""
        options = generate_registration_options(
            rp_id=site.host,
            rp_name="roundledger",
            user_id=staff_id.encode(),
            user_name=staff_id,
            user_display_name=name,
            timeout=SCREEN_SECONDS * 1000,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
            ),
            exclude_credentials=self._known(staff_id),
        )
        kept = self._proofs.begin("passkey", staff_id, {"challenge": bytes_to_base64url(options.challenge)})
        return kept, json.loads(options_to_json(options))

    def register(self, staff_id: str, name: str, given: PasskeyGiven) -> int:
        whose, state = self._proofs.end("passkey", given.kept)
        if whose != staff_id:
            raise PasskeyRefused("Somebody else started to add that passkey.")
        try:
            found = verify_registration_response(
                credential=given.credential,
                expected_challenge=base64url_to_bytes(state["challenge"]),
                expected_rp_id=given.site.host,
                expected_origin=given.site.origin,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError) as error:
            raise PasskeyRefused(f"The passkey cannot be registered: {error}") from None
        return self._factors.add(
            staff_id, "passkey", name, found.credential_public_key, found.credential_id, found.sign_count
        )

    # ---- using

    def question(self, kind: Kind, staff_id: str | None, site: Site) -> tuple[str, dict[str, Any]]:
        """Return the challenge that the browser keeps, and the options for its device: for one person's passkeys, or
        anyone's."""
        options = generate_authentication_options(
            rp_id=site.host,
            timeout=SCREEN_SECONDS * 1000,
            allow_credentials=None if staff_id is None else self._known(staff_id),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        kept = self._proofs.begin(kind, staff_id, {"challenge": bytes_to_base64url(options.challenge)})
        return kept, json.loads(options_to_json(options))

    def usable(self, kind: Kind, given: PasskeyGiven) -> tuple[str, Usable]:
        """Return whose passkey was presented, and what the database must check: that it was not used before."""
        whose, state = self._proofs.end(kind, given.kept)
        owner, number, public_key, counter = self._stored(_handle(given.credential))
        if whose not in (None, owner):
            raise PasskeyRefused("That is somebody else's passkey.")
        try:
            found = verify_authentication_response(
                credential=given.credential,
                expected_challenge=base64url_to_bytes(state["challenge"]),
                expected_rp_id=given.site.host,
                expected_origin=given.site.origin,
                credential_public_key=public_key,
                credential_current_sign_count=counter,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError) as error:
            raise PasskeyRefused(f"The passkey is not valid: {error}") from None
        return owner, Usable(number, found.new_sign_count)

    def proved(self, given: PasskeyGiven) -> str:
        """Return who signs with this passkey. It is used up for this one signature."""
        owner, usable = self.usable("signature", given)
        if not self._factors.use(owner, given.address, usable):
            raise PasskeyRefused("That passkey was used for something else in the meantime.")
        return owner

    def _known(self, staff_id: str) -> list[PublicKeyCredentialDescriptor]:
        rows = self._factors.opened(staff_id, "passkey")
        return [PublicKeyCredentialDescriptor(id=bytes(handle)) for _, _, handle, _ in rows]

    def _stored(self, handle: bytes) -> tuple[str, int, bytes, int]:
        ((owner,),) = self._database.rows("SELECT roundledger.passkey_owner(%s)", [handle])
        rows = [] if owner is None else self._factors.opened(owner, "passkey")
        for number, public_key, known, counter in rows:
            if bytes(known) == handle:
                return owner, number, bytes(public_key), counter
        raise PasskeyRefused("That passkey is not registered here.")


def _handle(credential: str) -> bytes:
    try:
        return base64url_to_bytes(json.loads(credential)["rawId"])
    except (ValueError, KeyError, TypeError):
        raise PasskeyRefused("That is not a passkey.") from None
