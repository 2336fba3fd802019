"""A simulated floor: people who play the games sensibly, to have rounds to adjudicate, record and look at.

Pure: no clock, no database, and no randomness except from a seed. The rounds are legal by construction, because the
engine lists what may come next and the players choose from that."""

from infra.simulation.round_documents import LARGEST_SEED, MOST_ROUNDS, MOST_TABLES, documents

__all__ = ["LARGEST_SEED", "MOST_ROUNDS", "MOST_TABLES", "documents"]
