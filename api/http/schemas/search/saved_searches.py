"""Searches that people save under a name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service.fields import Model, matching
from infra.access.saved_searches import LONGEST_NAME, LONGEST_SEARCH

SharedWith = Literal["floor", "accounting", "auditor"]
SearchName = Annotated[str, matching(r"^[^\x00-\x1f\x7f]+$", "is one line", min_length=1, max_length=LONGEST_NAME)]
SearchQuery = Annotated[
    str, matching(r"^[!-~]+$", "is the query of an address", min_length=1, max_length=LONGEST_SEARCH)
]


class SavedSearchIn(Model):
    """What the caller has saved under the same name is replaced."""

    name: SearchName
    search: SearchQuery = Field(description="The query of `GET /v1/rounds`, like `weekday=tuesday&happened=split`.")
    shared_with: SharedWith | None = Field(None, description="Everybody of this role sees it.")


class SavedSearchOut(Model):
    number: int
    name: str
    search: str
    shared_with: SharedWith | None
    saved_by: str
    saved_at: str
    deletable: bool = Field(description="Whether the caller may delete it.")


class SavedSearchesOut(Model):
    searches: list[SavedSearchOut]
