"""One operation on both sides, no trainer: is NumSharp's result NumPy's, to the bit?

    >>> cotrain.check("exp", a)
    >>> cotrain.check("sum(a, axis=0)", a=a)

and on the command line ``cotrain check 'np.exp(a)' --a random:f4:128x784``.
"""

from cotrain.checking.checked import Checked, check

__all__ = ["Checked", "check"]
