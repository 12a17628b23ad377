"""The ledger: every known difference of NumSharp 0.70.0 from NumPy 2.4.2 on a trainer's path.

Entries annotate reports; only ``--allow`` accepts them. ``python -m cotrain.ledger`` lists them, and tests hold
each against the real NumSharp: they fail when a difference is gone, when it is larger than said, and when
something outside its condition differs.
"""

from cotrain.ledger.entry import Entry
from cotrain.ledger.matching import Occurrence, could_match, entries, find, match, select

__all__ = ["Entry", "Occurrence", "could_match", "entries", "find", "match", "select"]
