"""Signing on the command line: each person types their password, and the code of their second factor if they have one;
or all come from standard input, one per line."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.terminal.database import actor, read_settings
from api.cli.terminal.errors import fail

if TYPE_CHECKING:
    from collections.abc import Collection

    from infra.access.callers import Caller
    from infra.access.grants import Second
    from infra.access.signatures import PasswordGiven, Signatures
    from infra.ledger.ledger import Actor, Ledger

PLACE = "command line"  # in place of an address, in the record of sign-ins
FromInput = Annotated[
    bool,
    typer.Option(
        "--password-stdin",
        help="Read passwords from standard input, one a line, without asking: the new one, then those of --by and "
        "--second, as far as they are needed. Somebody who has a second factor adds a line with its code.",
    ),
]
SecondPerson = Annotated[
    str | None,
    typer.Option("--second", metavar="ID", show_default=False, help="The second person, who signs with a password."),
]


class Passwords:
    def __init__(self, from_input: bool) -> None:
        self._from_input = from_input

    def new(self) -> str:
        return self._given("Password", confirm=True)

    def of(self, ledger: "Ledger", staff_id: str) -> "PasswordGiven":
        from infra.access.factors import Factors
        from infra.access.signatures import PasswordGiven

        password = self._given(f"Password of {staff_id}", confirm=False)
        twice = Factors(ledger.events.recorder.database).has_any(staff_id)
        code = self._given(f"Code of {staff_id}, of their app or a recovery code", confirm=False) if twice else ""
        return PasswordGiven(password, PLACE, code=code)

    def _given(self, prompt: str, confirm: bool) -> str:
        if self._from_input:
            return sys.stdin.readline().rstrip("\n")
        found: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=confirm, err=True)
        return found


def signatures_of(ledger: "Ledger") -> "Signatures":
    from infra.access.signatures import Signatures

    days = read_settings().password_days
    return Signatures(ledger.events.recorder.database, ledger.staff, ledger.sessions, password_days=days)


def first_and_second(
    ledger: "Ledger", passwords: Passwords, by: str | None, second: str | None, *roles: str
) -> "tuple[Caller, Second]":
    """Return two people on the staff register: the first has authenticated in one of these roles; the second's password
    is read, and checked by the command."""
    from infra.access.callers import Caller
    from infra.access.grants import Second

    if by is None or second is None:
        wanted = " or ".join(roles)
        fail(f"two people sign this, each with their own password: --by, with the role {wanted}, and --second")
    first = signatures_of(ledger).authenticated(by, passwords.of(ledger, by), roles)
    role = next(role for role in roles if role in first.roles)
    return Caller(first.staff_id, role), Second(second, passwords.of(ledger, second))


def two_signed(
    ledger: "Ledger",
    passwords: Passwords,
    by: str | None,
    second: str | None,
    roles: "Collection[str]",
    second_roles: "Collection[str]",
) -> tuple[str, str]:
    """Return the ids of two people who have both authenticated."""
    first, other = first_and_second(ledger, passwords, by, second, *roles)
    return first.by, signatures_of(ledger).second(first, other.named, other.given, second_roles)


def one_signs(ledger: "Ledger", by: str | None, password_stdin: bool, roles: "Collection[str]") -> "Actor":
    """Return who signs, once authenticated, where the staff register has anybody."""
    if not ledger.staff.any():
        return actor(by)
    if by is None:
        fail(f"somebody signs this with their password: --by, with the role {' or '.join(roles)}")
    given = Passwords(password_stdin).of(ledger, by)
    return actor(signatures_of(ledger).authenticated(by, given, roles).staff_id)


def two_sign(
    ledger: "Ledger",
    by: str | None,
    second: str | None,
    password_stdin: bool,
    roles: "Collection[str]",
    second_roles: "Collection[str]",
) -> "tuple[Actor, str]":
    """Return both signers, who authenticate where the staff register has anybody."""
    if second is None:
        fail("two people sign this: --second names the other one")
    if not ledger.staff.any():
        return actor(by), second
    first, other = two_signed(ledger, Passwords(password_stdin), by, second, roles, second_roles)
    return actor(first), other
