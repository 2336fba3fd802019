"""A simulated floor: people who play the games sensibly, so that there are rounds to adjudicate, record and look at.

Pure: no clock, no database, and no randomness but that of a seed. The rounds are legal by construction, because the
engine itself says at each step what may come next and the players only answer.
"""

from infra.simulation.round_documents import LARGEST_SEED, MOST_ROUNDS, MOST_TABLES, documents

__all__ = ["LARGEST_SEED", "MOST_ROUNDS", "MOST_TABLES", "documents"]
