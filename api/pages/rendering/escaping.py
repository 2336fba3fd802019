"""Text on its way into a page, escaped where it must be."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_SPECIAL = re.compile("[&<>\"']")


def safe(text: str) -> str:
    """Most of what a ledger says needs no escaping, and it is quicker to see that than to escape it."""
    return text if text.__class__ is Markup or not _SPECIAL.search(text) else escape(text)
