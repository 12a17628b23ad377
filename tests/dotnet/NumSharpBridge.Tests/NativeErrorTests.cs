using System.Reflection;
using System.Text;
using Cotrain.Interop;

namespace Cotrain.Tests;

public unsafe class NativeErrorTests
{
    [Fact]
    public void AMessageForUsersIsReportedAsItIs() =>
        Assert.Equal((3, "no such thing"), Report(new CotrainException("no such thing", CotrainException.Unsupported)));

    [Fact]
    public void AnyOtherExceptionIsReportedWithItsType() =>
        Assert.Equal((2, "InvalidOperationException: not now"), Report(new InvalidOperationException("not now")));

    [Fact]
    public void TheCallerMayChooseTheCode() =>
        Assert.Equal((4, "InvalidOperationException: x"), Report(new InvalidOperationException("x"), otherwise: 4));

    [Fact]
    public void WrappersAreTakenOff()
    {
        Exception inner = new CotrainException("inside");
        Exception[] wrapped =
        [
            new TargetInvocationException(inner),
            new AggregateException(inner),
            new TypeInitializationException("T", new TargetInvocationException(inner)),
        ];
        Assert.All(wrapped, exception => Assert.Equal((2, "inside"), Report(exception)));
    }

    [Fact]
    public void AnExceptionThatCannotTellItsMessageIsNamed() =>
        Assert.Equal((2, nameof(MuteException)), Report(new MuteException()));

    [Theory]
    [InlineData(1, "")]
    [InlineData(2, "g")]
    [InlineData(4, "gr")] // ö takes two bytes and is not cut in two
    [InlineData(5, "grö")]
    [InlineData(100, "größer")]
    public void AMessageIsCutAtTheEndOfACharacter(int size, string expected) =>
        Assert.Equal((2, expected), Report(new CotrainException("größer"), size));

    [Fact]
    public void NoBufferIsNoProblem()
    {
        Assert.Equal(2, NativeError.Report(new CotrainException("x"), null, 0));
        byte untouched = 7;
        Assert.Equal(2, NativeError.Report(new CotrainException("x"), &untouched, 0));
        Assert.Equal(7, untouched);
    }

    private static (int Code, string Message) Report(Exception exception, int size = 200, int otherwise = 2)
    {
        byte[] buffer = new byte[size + 1];
        Array.Fill(buffer, (byte)0xEE);
        fixed (byte* error = buffer)
        {
            int code = NativeError.Report(exception, error, size, otherwise);
            Assert.Equal(0xEE, buffer[size]);
            return (code, Encoding.UTF8.GetString(buffer, 0, Array.IndexOf(buffer, (byte)0)));
        }
    }

    private sealed class MuteException : Exception
    {
        public override string Message => throw new InvalidOperationException();
    }
}
