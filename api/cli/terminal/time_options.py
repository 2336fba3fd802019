"""Days and moments on the command line: ISO 8601; a moment with an offset, or else by the local clock."""

from datetime import date, datetime

from api.cli.terminal.errors import fail


def moment(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone() if found.tzinfo is None else found
    except (ValueError, OverflowError):
        fail(f"{option} is a time like 2026-03-08T06:00:00-08:00, not {text!r}")


def moment_ms(text: str | None, option: str) -> int | None:
    found = moment(text, option)
    return None if found is None else round(found.timestamp() * 1000)


def day(text: str, option: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        fail(f"{option} is a date like 2026-03-08, not {text!r}")
