"""The gates of the training, S0 to S7: where it is looked at, and what it has proved when both sides are equal there.

C#: ``dotnet/MnistMlp/Stages.cs``.

    python -m twin.stages [options of python -m cotrain.lockstep]

runs them in order, in the lockstep, and stops at the first that fails.
"""

from __future__ import annotations

import sys

from cotrain.protocol import Stage

INITIAL = -1


def of_run(steps_per_epoch: int) -> tuple[Stage, ...]:
    """The stages of a training with epochs of so many steps."""
    first_epoch = steps_per_epoch - 1
    return (
        Stage(
            "S0",
            "initial weights",
            INITIAL,
            ("init.*",),
            "NumSharp's MT19937 and its normal distribution draw NumPy's float64 bits, and round alike to float32",
        ),
        Stage(
            "S1",
            "data",
            INITIAL,
            ("data.*",),
            "uniform, normal and integer draws, take by index, and the IDX reader, agree on 7,000 samples",
        ),
        Stage(
            "S2",
            "logits of the first batch",
            0,
            ("fc?.preact", "fc?.output"),
            "the products of both layers, bias and ReLU agree",
        ),
        Stage(
            "S3",
            "softmax, loss and its gradient",
            0,
            ("loss.*", "metrics.argmax"),
            "row maximum, exp, row sums, log, the mean and argmax agree",
        ),
        Stage(
            "S4",
            "gradients",
            0,
            ("fc?.grad.*",),
            "products of transposed operands, sums over the batch and the ReLU's mask agree",
        ),
        Stage(
            "S5",
            "weights and moments after the first step",
            0,
            ("adam.*",),
            "Adam's scalars are rounded at the same places, and its square root and divisions agree",
        ),
        Stage(
            "S6",
            f"after step {first_epoch}, the first epoch",
            first_epoch,
            ("adam.*",),
            "nothing that only later batches bring differs, and the running products of the betas stay equal",
        ),
        Stage(
            "S7",
            "the end of the training",
            None,
            ("adam.*", "eval.*"),
            "every operation of every step was equal, and so are the trained weights and what they say of the test set",
        ),
    )


def main(arguments: list[str] | None = None) -> int:
    """The lockstep with ``--stages``; returns its exit code."""
    from cotrain.lockstep.__main__ import main as lockstep

    own = sys.argv[1:] if arguments is None else arguments
    return lockstep(["--stages", *own])


if __name__ == "__main__":
    sys.exit(main())
