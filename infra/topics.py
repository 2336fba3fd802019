"""Every topic that the ledger stores."""

from domain.bettors import BETTOR_TOPICS
from domain.boxes import BOX_TOPICS
from domain.disputes import DISPUTE_TOPICS
from domain.events import RETIRED_ROUND_TOPICS, ROUND_TOPICS
from domain.meters import METER_TOPICS
from domain.rulebooks import RULEBOOK_TOPICS
from domain.tables import TABLE_TOPICS
from domain.trail import TRAIL_TOPICS
from infra.mapper import Topics

TOPICS = Topics(
    {
        **BETTOR_TOPICS,
        **ROUND_TOPICS,
        **TABLE_TOPICS,
        **BOX_TOPICS,
        **METER_TOPICS,
        **DISPUTE_TOPICS,
        **RULEBOOK_TOPICS,
        **TRAIL_TOPICS,
    }
)
for topic, (shape, successor, upcast) in RETIRED_ROUND_TOPICS.items():
    TOPICS.retire(topic, shape, successor, upcast)
