"""Saved searches: a search of hands kept under a name, for oneself or for everybody of a role."""

from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

from fastapi import Form, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from pydantic import Field, StringConstraints, ValidationError

from api.pages.dependencies import plain_caller
from api.pages.forms import FormModel, on_the_clock, texts
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.pages.search.hands import FLAGS, HAPPENED, NAMES, ORDERS, PATH, HandsFilters
from api.service import roles
from api.service.admission import ServiceOf
from infra.access.callers import Caller
from infra.access.saved_searches import LONGEST_NAME, search_shown

router = page_router()
SAVED = f"{PATH}/saved"
Searching = Annotated[Caller, Security(plain_caller, scopes=roles.SEEING)]


@router.get(SAVED)
async def show_searches(request: Request, service: ServiceOf, caller: Searching) -> Response:
    found = [search_shown(one) for one in await service.run(service.saved_searches.seen_by, caller)]
    data = {
        "saved": [{**one, "address": f"{PATH}?{one['search']}", "words": in_words(one["search"])} for one in found],
        "roles": roles.READING,
    }
    crumbs = [("Hands", PATH)]
    return await render(request, "saved_searches.html", data, title="Saved searches", section="hands", crumbs=crumbs)


class Save(FormModel):
    do: Literal["save"]
    name: Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
    search: str = Field(description="The query of the address that shows it.")
    shared_with: Literal["floor", "accounting", "auditor"] | None = None


class Delete(FormModel):
    do: Literal["delete"]
    number: Annotated[int, Field(ge=1, le=2**62)]


SearchForm = Annotated[Save | Delete, Field(discriminator="do")]


@router.post(SAVED)
async def change_searches(
    request: Request, service: ServiceOf, caller: Searching, form: Annotated[SearchForm, Form()]
) -> Response:
    if isinstance(form, Delete):
        await service.run(service.saved_searches.delete, caller, form.number)
        return go(request, SAVED, "The search is deleted.")
    try:
        asked = await on_the_clock(service, HandsFilters.model_validate(dict(parse_qsl(form.search))))
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("query", *one["loc"])} for one in error.errors()]) from None
    search = urlencode(texts(asked))
    saved = await service.run(service.saved_searches.save, caller, form.name, search, form.shared_with)
    shared = "" if saved.shared_with is None else f" Everybody of the role {saved.shared_with} sees it."
    return go(request, f"{PATH}?{search}", f"Saved as “{saved.name}”.{shared}")


def in_words(search: str) -> list[str]:
    """What a search asks for, filter by filter."""
    return [_filter_words(name, value) for name, value in parse_qsl(search)]


def _filter_words(name: str, value: str) -> str:
    if name in FLAGS:
        return FLAGS[name].lower() if value == "true" else f"not {FLAGS[name].lower()}"
    if name in ("happened", "also"):
        return HAPPENED.get(value, value)
    if name == "sort":
        return dict[Any, str](ORDERS).get(value, value)
    return f"{NAMES.get(name, name).removeprefix('the ')} {value.replace('_', ' ')}"
