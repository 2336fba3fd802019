"""Escaping text for pages."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_SPECIAL = re.compile("[&<>\"']")


def safe(text: str) -> str:
    """Return escaped text. Most needs no escaping, and checking that is quicker than escaping it."""
    return text if text.__class__ is Markup or not _SPECIAL.search(text) else escape(text)
