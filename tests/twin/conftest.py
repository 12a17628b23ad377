from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits

from twin import mnist_loader
from twin.mnist_loader import MnistData


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    """As in a lockstep; more threads gain nothing at these sizes."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="session")
def data() -> MnistData:
    """The synthetic data, drawn once."""
    return mnist_loader.load("synthetic")


@pytest.fixture(scope="session")
def small(data: MnistData) -> MnistData:
    """Its first samples: two batches of 32 and a rest, a test set of two batches and a rest."""
    return MnistData(data.train_x[:70], data.train_y[:70], data.test_x[:67], data.test_y[:67])
