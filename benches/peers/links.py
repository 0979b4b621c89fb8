"""What a host and its GPUs can move at once, by torch: page-locked blocks, a stream for each direction of each GPU.

    python benches/peers/links.py [MiB of a block]

GB/s (1e9 bytes) of all GPUs together, up, down and both ways at once, the best of five rounds of 16 blocks; then the host's
own memory, copied by torch's threads. Beside `cargo bench -p arrayspan-devices --bench transfers -- --only together`.
"""

import sys
import time

import torch

ROUNDS, COPIES = 5, 16


class Lane:
    def __init__(self, gpu, length):
        device = torch.device("cuda", gpu)
        self.streams = [torch.cuda.Stream(device) for _ in range(2)]
        self.near = [torch.ones(length, pin_memory=True) for _ in range(2)]
        self.far = [torch.ones(length, device=device) for _ in range(2)]

    def up(self):
        with torch.cuda.stream(self.streams[0]):
            self.far[0].copy_(self.near[0], non_blocking=True)

    def down(self):
        with torch.cuda.stream(self.streams[1]):
            self.near[1].copy_(self.far[1], non_blocking=True)


def rate(lanes, up, down, moved):
    best = 0.0
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter()
        for _ in range(COPIES):
            for lane in lanes:
                if up:
                    lane.up()
                if down:
                    lane.down()
        for lane in lanes:
            for stream in lane.streams:
                stream.synchronize()
        best = max(best, COPIES * (up + down) * len(lanes) * moved / (time.perf_counter() - begin) / 1e9)
    return best


def main():
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    length, moved = mib << 18, mib << 20
    gpus = torch.cuda.device_count()
    print(f"torch {torch.__version__}, {gpus} x {torch.cuda.get_device_name(0)}, blocks of {mib} MiB")
    print("    GPUs |     up   down   both")
    for count in [n for n in (1, 2, 4, 8) if n <= gpus]:
        lanes = [Lane(gpu, length) for gpu in range(count)]
        up, down, both = (rate(lanes, *way, moved) for way in ((1, 0), (0, 1), (1, 1)))
        print(f"{count:8} | {up:6.1f} {down:6.1f} {both:6.1f}", flush=True)
    bytes_each = 2 << 30
    source, target = torch.ones(bytes_each // 4), torch.ones(bytes_each // 4)
    print("the host's own memory, GB/s copied")
    most = torch.get_num_threads()
    for threads in [n for n in (1, 8, 16, 32, 64) if n <= most]:
        torch.set_num_threads(threads)
        best = 0.0
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            target.copy_(source)
            best = max(best, bytes_each / (time.perf_counter() - begin) / 1e9)
        print(f"{threads:8} threads | {best:6.1f}", flush=True)


if __name__ == "__main__":
    main()
