"""`roundledger people`: who may sign in to the pages."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.terminal.database import By, actor, on_ledger, read_settings
from api.cli.terminal.errors import fail
from api.cli.terminal.output import print_table, write_json
from api.cli.terminal.signing import FromInput, Passwords, SecondPerson, first_and_second, signatures_of

if TYPE_CHECKING:
    from infra.access.grants import Grants
    from infra.access.staff import StaffMember
    from infra.ledger.ledger import Ledger

app = typer.Typer(help="People who may sign in to the pages.", no_args_is_help=True)

VIOLATIONS_EXIT = 1
StaffId = Annotated[str, typer.Argument(metavar="ID", help="The staff id.")]


def _grants(ledger: "Ledger") -> "Grants":
    from infra.access.grants import Grants
    from infra.access.tokens import Tokens

    return Grants(ledger.staff, Tokens(ledger.events.recorder.database), signatures_of(ledger))


@app.command("add")
@on_ledger
def add(
    ledger: "Ledger",
    staff_id: StaffId,
    name: Annotated[str, typer.Option(help="The person's name.")],
    role: Annotated[
        list[str],
        typer.Option(help="floor, cage, counter, accounting, auditor, admin, or terminal:TABLE; may be repeated."),
    ],
    password_stdin: FromInput = False,
    by: By = None,
    second: SecondPerson = None,
) -> None:
    """Let a person sign in; asks for the password twice.

    Two admins sign, --by and --second, each with their password. The first two admins, and people who only use
    terminals, are added without signatures.
    """
    from infra.access.callers import STAFF_ID
    from infra.access.role_matrix import NotAllowed, check_parts
    from infra.access.staff import StaffMember

    if not STAFF_ID.fullmatch(staff_id):
        fail("an id has lower-case letters, digits and hyphens, at most 40")
    if not name.strip() or len(name) > 80 or not name.isprintable():
        fail("--name has 1 to 80 characters")
    try:
        check_parts(role)
    except NotAllowed as refusal:
        fail(str(refusal))
    passwords = Passwords(password_stdin)
    _add(ledger, StaffMember(staff_id, name.strip(), tuple(role), False), passwords, by, second)
    typer.echo(f"roundledger: {staff_id} can sign in", err=True)


def _add(ledger: "Ledger", member: "StaffMember", passwords: Passwords, by: str | None, second: str | None) -> None:
    from infra.access.role_matrix import takes_two

    if member.parts == ("admin",) and ledger.staff.admins() < 2:
        ledger.staff.add_admin(member.staff_id, member.name, passwords.new(), actor(by).by)
    elif not takes_two(member.parts):
        ledger.staff.add(member, passwords.new(), actor(by).by)
    elif ledger.staff.admins() < 2:
        fail("the first two admins come first: add them with --role admin")
    else:
        password = passwords.new()
        _grants(ledger).add(*first_and_second(ledger, passwords, by, second, "admin"), member, password)


@app.command("list")
@on_ledger
def list_people(ledger: "Ledger") -> None:
    """List everybody with their roles."""
    for one in ledger.staff.everybody():
        status = "disabled" if one.disabled else ""
        typer.echo("\t".join((one.staff_id, one.name, ",".join(one.parts), status)).rstrip())


@app.command("check")
@on_ledger
def check(
    ledger: "Ledger",
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List people whose roles must be separate, by part or by token, and what to take away.

    The exit code is 1 if there are any.
    """
    from infra.access.review.violations import violations

    found = violations(ledger.events.recorder.database)
    if as_json:
        write_json({"violations": found})
    else:
        for one in found:
            typer.echo(f"{one.what} {one.remedy}")
    if found:
        raise typer.Exit(VIOLATIONS_EXIT)
    typer.echo("roundledger: nobody has roles that must not be combined", err=True)


@app.command("review")
@on_ledger
def review(
    ledger: "Ledger",
    sign: Annotated[
        str | None,
        typer.Option(metavar="DIGEST", show_default=False, help="Sign what was listed under this digest, as --by."),
    ] = None,
    remark: Annotated[str, typer.Option(help="Recorded with the signature.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    password_stdin: FromInput = False,
    by: By = None,
) -> None:
    """List what every person and machine holds (since when, granted by whom, last used), or sign the quarterly review.

    Accounting or an auditor signs, never an admin. Refused if anything has changed since it was listed.
    """
    from infra.ledger.access_reviews import shown_access

    if sign is not None:
        _sign_review(ledger, sign, remark, Passwords(password_stdin), by)
    shown = shown_access(ledger)
    if as_json:
        write_json(shown)
    elif sign is None:
        _print_access(shown)


def _sign_review(ledger: "Ledger", digest: str, remark: str, passwords: Passwords, by: str | None) -> None:
    from domain.audit.access_review import REVIEWERS
    from domain.errors import Refusal
    from infra.access.callers import Caller
    from infra.ledger.access_reviews import review_access

    if by is None:
        fail("--by names the person who signs, with the role accounting or auditor")
    signatures = signatures_of(ledger)
    member = signatures.authenticated(by, passwords.of(ledger, by), REVIEWERS)
    role = next(role for role in REVIEWERS if role in member.roles)
    try:
        review_access(ledger, signatures, Caller(by, role), digest, remark, actor(by).at_ms)
    except Refusal as refusal:
        fail(refusal.detail)
    typer.echo("roundledger: the review is signed, and recorded in the ledger", err=True)


def _print_access(shown: dict[str, Any]) -> None:
    columns = ("holder", "kind", "part", "by", "since", "granted by", "last used", "factors")
    rows = [
        {
            "holder": one["holder"],
            "kind": "machine" if one["machine"] else "disabled" if one["disabled"] else "person",
            "part": held["part"],
            "by": held["way"] if held["token"] is None else f"{held['way']} {held['token']}",
            "since": held["since"],
            "granted by": " and ".join(filter(None, (held["granted_by"], held["second"]))),
            "last used": held["last_used"],
            "factors": " ".join(one["factors"]),
        }
        for one in shown["holders"]
        for held in one["holds"]
    ]
    print_table(columns, rows)
    last = shown["reviews"][0] if shown["reviews"] else None
    typer.echo("No review has been signed." if last is None else f"Last signed by {last['by']} at {last['at']}.")
    typer.echo(f"Digest: {shown['digest']}{'. A review is due.' if shown['due'] else ''}")


@app.command("password")
@on_ledger
def password(
    ledger: "Ledger",
    staff_id: StaffId,
    password_stdin: FromInput = False,
    by: By = None,
    second: SecondPerson = None,
) -> None:
    """Set a new password; all of the person's sessions end.

    If --by is the same person, they change their own and give the old one. For anybody else two admins sign, --by and
    --second, and the owner must change it before signing anything.
    """
    from infra.access.role_matrix import takes_two

    passwords = Passwords(password_stdin)
    new = passwords.new()
    member = ledger.staff.find(staff_id)
    if member is None:
        fail(f"There is nobody with the id {staff_id}.")
    if by == staff_id:
        signatures_of(ledger).prove_own(staff_id, passwords.of(ledger, staff_id))
        ledger.staff.check_unused(staff_id, new, read_settings().password_history)
        ledger.staff.change(staff_id, staff_id, password=new)
    elif not takes_two(member.parts):
        ledger.staff.change(staff_id, actor(by).by, password=new)
    else:
        signed = first_and_second(ledger, passwords, by, second, "admin")
        _grants(ledger).change(*signed, staff_id, password=new)
    typer.echo(f"roundledger: the password of {staff_id} is changed", err=True)


@app.command("disable")
@on_ledger
def disable(ledger: "Ledger", staff_id: StaffId, by: By = None) -> None:
    """Disable a person: all their sessions and tokens end at once."""
    ledger.staff.change(staff_id, actor(by).by, disabled=True)
    typer.echo(f"roundledger: {staff_id} can no longer sign in", err=True)


@app.command("enable")
@on_ledger
def enable(
    ledger: "Ledger",
    staff_id: StaffId,
    password_stdin: FromInput = False,
    by: By = None,
    second: SecondPerson = None,
) -> None:
    """Let a disabled person sign in again. Two admins sign, --by and --second, as for `add`."""
    from infra.access.role_matrix import takes_two

    member = ledger.staff.find(staff_id)
    if member is None or not takes_two(member.parts):
        ledger.staff.change(staff_id, actor(by).by, disabled=False)
    else:
        signed = first_and_second(ledger, Passwords(password_stdin), by, second, "admin")
        _grants(ledger).change(*signed, staff_id, disabled=False)
    typer.echo(f"roundledger: {staff_id} can sign in again", err=True)
