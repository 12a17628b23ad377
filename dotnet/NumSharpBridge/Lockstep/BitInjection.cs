namespace Cotrain.Lockstep;

/// <summary>A bit that is flipped, once, in the candidate's memory right after the operation.</summary>
internal sealed class BitInjection(long step, string tap, long flatIndex, int bit)
{
    public long Step { get; } = step;

    public string Tap { get; } = tap;

    /// <summary>Flips the bit when step and tap are the ones asked for.</summary>
    /// <returns>True when it was flipped now.</returns>
    public unsafe bool Apply(long atStep, string atTap, in Operand candidate)
    {
        if (Applied || atStep != Step || atTap != Tap)
        {
            return false;
        }
        byte* element = candidate.ElementAddress(flatIndex);
        element[bit / 8] ^= (byte)(1 << (bit % 8));
        return Applied = true;
    }

    /// <summary>As the command line spells it.</summary>
    public override string ToString() => $"{Step}:{Tap}:{flatIndex}:{bit}";

    /// <summary>Whether the flip has happened.</summary>
    public bool Applied { get; private set; }
}
