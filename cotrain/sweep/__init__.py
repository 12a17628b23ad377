"""Compares a float32 function of one operand on all 2^32 bit patterns, NumPy against the bridge or NumSharp itself."""
