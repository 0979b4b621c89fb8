"""A data loader whose preprocessing runs on all GPUs: operators of arrayspan, spread by `across`, feed the training of a network of torch.

    python examples/data_loader.py --devices cuda:0,cuda:1

Gathers of seismic traces are generated on the host, as a reader of files would have them: spiky reflections in noise, with a steady
drift. While the network learns from one batch, the next ones are smoothed along time, freed of their drift and differentiated along
offset: one operator of the engine, on whichever device is free, with transfers overlapped. What comes out are tensors of torch. The network
learns to tell how many reflections a gather has. Needs numpy and torch.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

import arrayspan
from arrayspan import operators as ops

SHAPE = (16, 32, 256)  # gathers, offsets, samples


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", help="cpu, or cuda:0,cuda:1 [default: all GPUs of CUDA, else cpu]")
    parser.add_argument("--batches", type=int, default=60, help="of one epoch")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def gathers(count, rng):
    """Batches of gathers, and how many reflections each gather has."""
    offset = np.arange(SHAPE[1], dtype="float32")[:, None]
    samples = np.arange(SHAPE[2], dtype="float32")
    for _ in range(count):
        events = rng.integers(0, 6, SHAPE[0])
        batch = rng.normal(0, 0.2, SHAPE).astype("float32") + 0.01 * samples
        for gather, number in zip(batch, events):
            for _ in range(number):
                arrival = np.hypot(rng.uniform(30, 200), offset * rng.uniform(1, 3))
                gather += np.exp(-(((samples - arrival) / 2) ** 2), dtype="float32")
        yield batch, events.astype("float32")


def preprocessing():
    """The operator that all batches go through: data without drift, smooth along time."""
    smooth = ops.Smoothing(SHAPE, [(2, 3)], dtype="float32")
    slope = ops.FirstDerivative(SHAPE, axis=2, dtype="float32")
    return slope @ smooth


class Preprocessed(torch.utils.data.IterableDataset):
    """Batches of one epoch: preprocessed ones as tensors, with their labels in the same order."""

    def __init__(self, devices, operator, batches, seed):
        self.devices, self.operator, self.batches, self.seed = devices, operator, batches, seed
        self.report = None

    def __iter__(self):
        labels = []

        def inputs():
            for batch, label in gathers(self.batches, np.random.default_rng(self.seed)):
                labels.append(torch.from_numpy(label))
                yield torch.from_numpy(batch)

        # Results come in the order of the batches, whichever device has computed them.
        with arrayspan.across(self.devices, inputs(), self.operator) as results:
            for batch in results:
                yield torch.as_tensor(batch), labels.pop(0)
            self.report = results.report()


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    gpus = [str(device) for device in arrayspan.devices() if device.kind == "cuda"]
    devices = options.devices.split(",") if options.devices else gpus or ["cpu"]
    place = "cuda" if torch.cuda.is_available() else "cpu"
    network = nn.Sequential(
        nn.Conv2d(1, 8, (5, 9), stride=(2, 4)),
        nn.ReLU(),
        nn.Conv2d(8, 16, (5, 9), stride=(2, 2)),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d((1, 8)),
        nn.Flatten(),
        nn.Linear(128, 1),
    ).to(place)
    optimiser = torch.optim.Adam(network.parameters(), 2e-3)
    data = Preprocessed(devices, preprocessing(), options.batches, options.seed)
    loader = torch.utils.data.DataLoader(data, batch_size=None)
    losses = []
    for epoch in range(options.epochs):
        begin, total = time.perf_counter(), 0.0
        for batch, events in loader:
            loss = nn.functional.mse_loss(network(batch.unsqueeze(1).to(place)).squeeze(1), events.to(place))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item()
        losses.append(total / options.batches)
        print(f"epoch {epoch}: loss {losses[-1]:.3f}, {time.perf_counter() - begin:.1f} s")
    for device, did in zip(devices, data.report):
        print(f"{device}: {did}")
    print(f"first {losses[0]:.4f}, last {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
