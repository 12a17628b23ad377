using Cotrain.Interop;

namespace Cotrain.Tests;

public unsafe class NativeExportsTests
{
    [Fact]
    public void AnExportIsFoundWithItsSignatureAndCanBeCalled()
    {
        string[] found = NativeExports.Find("Cotrain.Interop.FloatMode", "ProbeThread").Split(' ');
        Assert.Equal("i4()", found[1]);
        Assert.Equal(0, ((delegate* unmanaged<int>)long.Parse(found[0]))());
    }

    [Theory]
    [InlineData("Cotrain.Interop.NumPyViews", "Close", "v(i8)")]
    [InlineData("Cotrain.Interop.NumPyArrays", "Drain", "i4(p,i4)")]
    [InlineData("Cotrain.Lockstep.CompareExport", "Compare", "i4(p,p,p,p,i4)")]
    public void SignaturesNameKindAndSize(string type, string method, string signature) =>
        Assert.EndsWith(" " + signature, NativeExports.Find(type, method));

    [Theory]
    [InlineData("Cotrain.Interop.Nothing", "Close", "the bridge has no type Cotrain.Interop.Nothing")]
    [InlineData("Cotrain.Interop.NumPyViews", "Open", "Cotrain.Interop.NumPyViews has no export Open")]
    [InlineData("Cotrain.Interop.NumPyViews", "Nothing", "Cotrain.Interop.NumPyViews has no export Nothing")]
    public void WhatIsNoExportIsRefused(string type, string method, string message)
    {
        CotrainException exception = Assert.Throws<CotrainException>(() => NativeExports.Find(type, method));
        Assert.Equal(message, exception.Message);
        Assert.Equal(CotrainException.Unsupported, exception.ExitCode);
    }
}
