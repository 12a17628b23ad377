"""Traces: a 128-bit hash per tap and side of a whole run, to set one run beside another.

``python -m cotrain.lockstep --trace FILE`` saves one, ``python -m cotrain.trace A B`` compares two.
"""

from cotrain.trace.comparison import Part, compare
from cotrain.trace.file import Trace, load, save
from cotrain.trace.recording import Recording

__all__ = ["Part", "Recording", "Trace", "compare", "load", "save"]
