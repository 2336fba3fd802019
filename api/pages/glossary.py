"""The glossary of the pages: a question mark next to a word leads here."""

from typing import Annotated

from fastapi import Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.page_route import page_router
from api.pages.rendering.descriptions import descriptions
from api.pages.responses import render
from api.service import roles
from infra.access.callers import Caller

router = page_router()
PATH = "/glossary"
TERMS = descriptions("glossary")


@router.get(PATH)
async def show_glossary(
    request: Request, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    terms = [{"term": term, "id": anchor(term), "meaning": meaning} for term, meaning in TERMS.items()]
    return await render(request, "glossary.html", {"terms": terms}, title="Glossary", section="glossary")


def anchor(term: str) -> str:
    return term.lower().replace(" ", "-")
