"""The lockstep: a pair of trainers stepped together, every operation compared to the bit."""
