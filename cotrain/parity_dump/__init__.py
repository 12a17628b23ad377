"""Files of what a training computed at its stages, and whether two folders of them are equal byte for byte.

``DIR/S2/fc2.output.npy``: a folder per stage, a file per tap, C order, in NumPy's own format. The lockstep writes
them for both sides, each side's program alone for itself.
"""

from cotrain.parity_dump.writer import ParityDump

__all__ = ["ParityDump"]
