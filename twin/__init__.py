"""The NumPy twin of ``dotnet/MnistMlp``: the same MLP on MNIST, file by file beside the C# it mirrors.

=========================  ====================================
``mnist_mlp.py``           ``Program.cs``
``mlp_trainer.py``         ``MlpTrainer.cs``
``fully_connected.py``     ``FullyConnectedFused.cs``
``softmax_cross_entropy``  ``SoftmaxCrossEntropy.cs``
``adam.py``                ``Adam.cs``, ``AdamParameter.cs``
``mnist_loader.py``        ``MnistLoader.cs``
``idx_file.py``            ``IdxFile.cs``
``scalars.py``             ``Scalars.cs``
=========================  ====================================

Names of taps, their operations and inputs are declared here; the C# side only passes the names. The same
training by plain formulas, without buffers, is ``tests/twin/test_chain.py``: these files give its bits.
"""
