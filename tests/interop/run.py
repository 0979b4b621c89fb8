"""Python's libraries hand arrays to arrayspan and take its arrays, in every way the cases name.

    python run.py LIBRARY [--only NAME ...] [--require NAME ...] [--handovers N] [PART]

LIBRARY is the test library built from this folder. Cases are named `library::device::case`; PART selects those
that contain it. Output reads like that of Rust's tests. A library or device that is missing is reported as
skipped, unless it is required.
"""

import argparse
import faulthandler
import sys
import time
import traceback
from pathlib import Path

import hand_over  # Each of these adds its cases.
import lifetimes
import loops
import refusals
import streams
import threads
from binding import CPU, Library
from case import CASES
from libraries import found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--only", nargs="*", default=[], help="libraries to run; all if none is named")
    parser.add_argument("--require", nargs="*", default=[], help="libraries and `cuda`, whose absence is a failure")
    parser.add_argument("--handovers", type=int, default=1_000_000, help="how many make a loop")
    return parser.parse_args()


def one(function, ours, them, device):
    """Runs a case; how it failed, if it did."""
    try:
        with them.on(device):
            function(ours, them, device)
    except Exception:
        return traceback.format_exc()
    return None


def main():
    faulthandler.enable()
    chosen = arguments()
    ours = Library(chosen.library.resolve())
    ours.handovers = chosen.handovers
    libraries, missing = found(chosen.only)
    if not ours.has((2, 0)):
        missing["cuda"] = "no CUDA device"
    failures, passed = [(name, why) for name, why in missing.items() if name in chosen.require], 0
    for name, why in missing.items():
        if name not in chosen.require:
            print(f"skipped: {why}")
    for them in libraries:
        devices = [device for device in them.devices() if ours.has(device)]
        print(f"{them.name} {them.version()} on {len(devices)} device(s)")
        for device in devices:
            place = "cpu" if device == CPU else f"cuda{device[1]}"
            for function in CASES:
                name = f"{them.name}::{place}::{function.__module__}::{function.__name__}"
                if chosen.part not in name or not function.applies(them, device):
                    continue
                begin = time.perf_counter()
                failure = one(function, ours, them, device)
                seconds = time.perf_counter() - begin
                outcome = "ok" if failure is None else "FAILED"
                took = f" ({seconds:.1f} s)" if seconds > 1 else ""
                print(f"test {name} ... {outcome}{took}", flush=True)
                if failure is None:
                    passed += 1
                else:
                    failures.append((name, failure))
    if failures:
        print("\nfailures:\n")
        for name, says in failures:
            print(f"---- {name} ----\n{says}")
    outcome = "FAILED" if failures else "ok"
    print(f"\ntest result: {outcome}. {passed} passed; {len(failures)} failed; 0 ignored", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
