"""The figures of benches/batches.rs in torch: pinned memory, streams of their own and threads, as well as torch can.

    python benches/peers/batches.py [elementwise|products|scaling]
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

RUNS, WARM_UP, PASSES, SLOTS = 10, 2, 40, 3
GPUS = torch.cuda.device_count()


def measure(name, once):
    times = []
    for run in range(WARM_UP + RUNS):
        begin = time.perf_counter()
        once()
        times.append(1e3 * (time.perf_counter() - begin))
    times = sorted(times[WARM_UP:])
    print(f"{name}: best {times[0]:.1f} ms, median {times[len(times) // 2]:.1f} ms", flush=True)
    return times[0]


def elementwise(count, length):
    """Up, 40 passes in place, down; a stream for each of three slots, and host memory made once."""
    values = (torch.arange(length) % 1000).to(torch.float32)
    inputs = [values.pin_memory() for _ in range(count)]
    outputs = [torch.empty(length, pin_memory=True) for _ in range(count)]
    constant = torch.tensor(500.0)
    slots = [(torch.cuda.Stream(0), torch.empty(length, device="cuda:0")) for _ in range(SLOTS)]

    def once():
        for batch in range(count):
            stream, x = slots[batch % SLOTS]
            with torch.cuda.stream(stream):
                x.copy_(inputs[batch], non_blocking=True)
                for _ in range(PASSES):
                    torch.add(constant, x, alpha=0.5, out=x)
                outputs[batch].copy_(x, non_blocking=True)
        torch.cuda.synchronize(0)

    measure(f"torch elementwise, {count} x {length * 4 >> 20} MiB", once)
    expected = values.clone()
    for _ in range(PASSES):
        expected = 0.5 * expected + 500.0
    assert all(torch.equal(output, expected) for output in outputs)


def products(count, side, gpus):
    """x @ x.T from numpy to numpy, batch i on GPU i mod n: one after the other, and a thread for each GPU."""
    i, j = np.indices((side, side), sparse=True)
    inputs = [((i + j) % 3 + batch % 4).astype(np.float32) for batch in range(count)]

    def one(batch):
        x = torch.from_numpy(inputs[batch]).to(f"cuda:{batch % gpus}")
        return (x @ x.T).cpu().numpy()

    def share(gpu):
        return [one(batch) for batch in range(gpu, count, gpus)]

    name = f"torch products, {count} x {side}^2 on {gpus} GPUs"
    measure(name + ", one after the other", lambda: [one(batch) for batch in range(count)])
    with ThreadPoolExecutor(gpus) as pool:
        threads = measure(name + ", threads", lambda: list(pool.map(share, range(gpus))))
    stage = [torch.empty(side, side, pin_memory=True) for _ in range(2 * count)]
    streams = {gpu: [torch.cuda.Stream(gpu) for _ in range(SLOTS)] for gpu in range(gpus)}

    def staged(gpu):
        torch.cuda.set_device(gpu)
        mine = range(gpu, count, gpus)
        for at, batch in enumerate(mine):
            with torch.cuda.stream(streams[gpu][at % SLOTS]):
                stage[batch].copy_(torch.from_numpy(inputs[batch]))
                x = stage[batch].to(f"cuda:{gpu}", non_blocking=True)
                stage[count + batch].copy_(x @ x.T, non_blocking=True)
        torch.cuda.synchronize(gpu)
        return [stage[count + batch].numpy() for batch in mine]

    with ThreadPoolExecutor(gpus) as pool:
        pinned = measure(name + ", threads and pinned", lambda: list(pool.map(staged, range(gpus))))
    return min(threads, pinned)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    only = sys.argv[1] if len(sys.argv) > 1 else None
    print(f"torch {torch.__version__}, {GPUS} x {torch.cuda.get_device_name(0)}")
    if only in (None, "elementwise"):
        elementwise(16, 32 << 20)
        elementwise(64, 8 << 20)
    if only in (None, "products"):
        products(8, 4096, min(GPUS, 2))
    if only in (None, "scaling"):
        times = {gpus: products(32, 4096, gpus) for gpus in (1, 2, 4) if gpus <= GPUS}
        for gpus in times:
            if 2 * gpus in times:
                print(f"{gpus} to {2 * gpus} GPUs: {times[gpus] / times[2 * gpus]:.2f} times as fast")


if __name__ == "__main__":
    main()
