"""A ruling is paid from an account of the list; another one is a deliberate step."""

from __future__ import annotations

import pytest

from api.pages.play.dispute_forms import ACCOUNTS, RulingForm
from api.service.problems import Problem


def ruling(account: str, **more: str) -> RulingForm:
    entry = {"wager_1": "1/1/ante/p-1", "amount_1": "5.00", "account_1": account}
    return RulingForm.model_validate({"do": "ruling", "outcome": "upheld", "reason": "Short.", **entry, **more})


@pytest.mark.parametrize("account", ACCOUNTS)
def test_an_account_of_the_list_is_taken_as_it_is(account: str):
    (entry,) = ruling(account).entries()
    assert (entry.account, entry.amount) == (account, 5_00)


def test_another_account_is_confirmed_first():
    with pytest.raises(Problem, match="marketing is none of player-dealer, house, tray, cage"):
        ruling("marketing").entries()
    (entry,) = ruling("marketing", new_account="yes").entries()
    assert entry.account == "marketing"
