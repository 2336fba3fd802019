"""The access review page: who holds what, since when and by whom, and the quarterly signature."""

import time
from typing import Annotated

from fastapi import Form, Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.forms import FormModel
from api.pages.page_route import page_router
from api.pages.responses import go, render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.fields import Text
from infra.access.callers import Caller
from infra.ledger.access_reviews import review_access, shown_access

router = page_router()
PATH = "/staff/review"


@router.get(PATH)
async def show_review(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ACCESS_READING)]
) -> Response:
    data = {**await service.run(shown_access, service.ledger), "may_sign": caller.may(roles.REVIEWING)}
    crumbs = (("Staff", "/staff"),) if caller.may(roles.STAFF_READING) else ()
    return await render(request, "access_review.html", data, title="Access review", section="staff", crumbs=crumbs)


class ReviewForm(FormModel):
    digest: str
    remark: Text | None = None


@router.post(PATH)
async def sign_review(
    request: Request,
    service: ServiceOf,
    caller: Annotated[Caller, Security(plain_caller, scopes=roles.REVIEWING)],
    form: Annotated[ReviewForm, Form()],
) -> Response:
    now_ms = time.time_ns() // 1_000_000
    signed = (service.ledger, service.signatures, caller, form.digest, form.remark or "", now_ms)
    await service.run(review_access, *signed)
    return go(request, PATH, "The review is signed, and recorded in the ledger.")
