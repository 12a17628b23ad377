"""All that knows .NET: starting it, loading assemblies, native entry points, arrays without copies."""

from cotrain.clr.runtime import Runtime, check_single_copies, current, find_type, load_assembly, start

__all__ = ["Runtime", "check_single_copies", "current", "find_type", "load_assembly", "start"]
