"""Every topic that the ledger stores."""

from domain.audit.access_review import REVIEW_TOPICS
from domain.audit.log_succession import LOG_TOPICS
from domain.audit.trail_digest import TRAIL_TOPICS
from domain.books.accounts import ACCOUNT_TOPICS
from domain.books.cash import CASH_TOPICS
from domain.books.chart_of_accounts import CHART_TOPICS
from domain.books.closings import CLOSING_TOPICS
from domain.books.count_machines import MACHINE_TOPICS
from domain.books.exports import EXPORT_TOPICS
from domain.books.slips import SLIP_TOPICS
from domain.disputes.disputes import DISPUTE_TOPICS
from domain.floor.bettors import BETTOR_TOPICS
from domain.floor.drop_boxes import BOX_TOPICS, RETIRED_BOX_TOPICS
from domain.floor.meters import METER_TOPICS
from domain.floor.table_sessions import RETIRED_TABLE_TOPICS, TABLE_TOPICS
from domain.regulation.explanations import EXPLANATION_TOPICS
from domain.regulation.postings import POSTING_TOPICS
from domain.regulation.proposition_players import PROPOSITION_TOPICS
from domain.regulation.round_facts import FACT_TOPICS
from domain.round.events import RETIRED_ROUND_TOPICS, ROUND_TOPICS
from domain.rules.adoption import RULEBOOK_TOPICS
from infra.store.encoding.mapper import Topics

TOPICS = Topics(
    {
        **BETTOR_TOPICS,
        **ROUND_TOPICS,
        **TABLE_TOPICS,
        **BOX_TOPICS,
        **METER_TOPICS,
        **DISPUTE_TOPICS,
        **RULEBOOK_TOPICS,
        **POSTING_TOPICS,
        **FACT_TOPICS,
        **PROPOSITION_TOPICS,
        **CLOSING_TOPICS,
        **EXPORT_TOPICS,
        **ACCOUNT_TOPICS,
        **CHART_TOPICS,
        **SLIP_TOPICS,
        **MACHINE_TOPICS,
        **CASH_TOPICS,
        **EXPLANATION_TOPICS,
        **TRAIL_TOPICS,
        **REVIEW_TOPICS,
        **LOG_TOPICS,
    }
)
for topic, (shape, successor, upcast) in RETIRED_ROUND_TOPICS.items():
    TOPICS.retire(topic, shape, successor, upcast)
for topic, (counted, successor, as_typed) in RETIRED_BOX_TOPICS.items():
    TOPICS.retire(topic, counted, successor, as_typed)
for topic, (moved, successor, means_unknown) in RETIRED_TABLE_TOPICS.items():
    TOPICS.retire(topic, moved, successor, means_unknown)
