"""What each library is known not to do, and what we refuse, asserted as it is."""

import subprocess
import sys
from pathlib import Path

from binding import CPU, OnceOnDemand
from case import case, equal, floats, refuses


@case
def a_capsule_is_consumed_once(ours, them, device):
    array = ours.make("Float32", (3,), floats([1, 2, 3]), device)
    once = OnceOnDemand(array, max_version=(1, 0) if them.name != "jax" else None)
    theirs = them.take(once)
    refuses(Exception, them.take, once)
    equal(them.bytes(theirs), floats([1, 2, 3]))
    refuses(ValueError, ours.take, once)
    del theirs
    theirs = them.give("Float32", (3,), floats([1, 2, 3]), device)
    once = OnceOnDemand(theirs, max_version=(1, 0))
    array = ours.take(once)
    refuses(ValueError, ours.take, once)
    refuses(Exception, them.take, once)
    equal(array.bytes(), floats([1, 2, 3]))


@case
def an_array_is_handed_over_once(ours, them, device):
    array = ours.make("Float32", (3,), floats([1, 2, 3]), device)
    theirs = them.take(them.fit(array))
    assert "handed over before" in refuses(BufferError, array.__dlpack__)
    refuses(BufferError, array.bytes)
    equal(them.bytes(theirs), floats([1, 2, 3]))


@case(where=lambda them, device: them.name in ("numpy", "jax"))
def a_read_only_array_is_not_written_by_us(ours, them, device):
    theirs = them.give("Float32", (3,), floats([1, 2, 3]), device)
    if them.name == "numpy":
        theirs.flags.writeable = False
    array = ours.take(theirs)
    equal(array.exclusive, False)
    refuses(RuntimeError, array.add, 1.0)
    equal(them.bytes(theirs), floats([1, 2, 3]))


@case
def streams_are_numbered_by_the_rules_of_the_standard(ours, them, device):
    array = ours.make("Float32", (3,), floats([1, 2, 3]), device)
    if device == CPU:
        refuses(ValueError, lambda: array.__dlpack__(stream=1))
    else:
        refuses(ValueError, lambda: array.__dlpack__(stream=0))
        refuses(ValueError, lambda: array.__dlpack__(stream=-2))
        shared = ours.make("Float32", (3,), floats([1, 2, 3]), device, exclusive=False)
        for stream in (None, 1, 2, -1, ours.stream(device)):
            shared.__dlpack__(stream=stream, max_version=(1, 0))
    equal(array.bytes(), floats([1, 2, 3]))


@case(where=lambda them, device: them.heeds_read_only is False)
def read_only_is_ignored_by_torch_and_cupy(ours, them, device):
    shared = ours.make("Float32", (3,), floats([1, 2, 3]), device, exclusive=False)
    theirs = them.take(shared)
    equal((shared.copied, them.address(theirs)), (False, shared.address))
    if not them.writable(theirs):
        raise AssertionError("it keeps to READ_ONLY now, and need not get a copy any more")


@case(only="torch")
def torch_ends_the_process_at_a_negative_stride(ours, them, device):
    script = """
import sys
sys.path.insert(0, sys.argv[2])
import torch
from binding import Library
array = Library(sys.argv[1]).make("Int32", (3,), bytes(12), strides=(-1,), offset=2)
try:
    torch.from_dlpack(array)
except Exception:
    sys.exit(7)
"""
    here = str(Path(__file__).parent)
    ended = subprocess.run([sys.executable, "-c", script, ours.path, here], capture_output=True, check=False)
    # Newer ones raise, which is 7; none may take it.
    if ended.returncode not in (-6, 7):
        raise AssertionError(f"status {ended.returncode}: {ended.stderr.decode()}")


@case(only="torch")
def torch_does_not_give_what_a_pointer_cannot_say(ours, them, device):
    theirs = them.give("Complex64", (2,), floats([1, 2, 3, 4]), device)
    refuses(BufferError, ours.take, theirs.clone().requires_grad_())
    refuses(BufferError, ours.take, theirs.conj())
    refuses(Exception, ours.take, them.module.eye(3).to_sparse())


@case(only="cupy")
def cupy_takes_no_capsule_of_the_cpu(ours, them, device):
    array = ours.make("Float32", (3,), floats([1, 2, 3]), CPU)
    refuses((TypeError, ValueError, BufferError), them.take, array)
    equal(array.bytes(), floats([1, 2, 3]))


@case
def a_device_that_is_not_there_is_refused(ours, them, device):
    refuses(RuntimeError, ours.make, "Float32", (1,), floats([1]), (device[0], 99))
