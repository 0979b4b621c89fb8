"""Every dtype and layout, both ways: the same elements at the same place, or a refusal."""

import math

from binding import CPU, DTYPES, Legacy, OnceOnDemand
from case import case, content, equal, floats, gpu, refuses, strided, writable

SHAPE = (3, 5)

# Name, shape, strides and offset over a block of 24 elements.
LAYOUTS = {
    "row-major": ((4, 6), (6, 1), 0),
    "transposed": ((6, 4), (1, 6), 0),
    "every second": ((2, 3), (12, 2), 0),
    "with an offset": ((2, 6), (6, 1), 12),
    "reversed": ((4, 6), (-6, 1), 18),
    "reversed twice": ((4, 6), (-6, -1), 23),
    "repeated": ((3, 24), (0, 1), 0),
    "axes of one": ((1, 4, 1, 6), (100, 6, -7, 1), 0),
}


def elements(block, width, shape, strides, offset):
    """The elements of a layout in row-major order, found the slow, obvious way."""
    places = [offset]
    for extent, stride in zip(shape, strides):
        places = [place + index * stride for place in places for index in range(extent)]
    return b"".join(block[place * width:(place + 1) * width] for place in places)


def handed(ours, them, device, dtype, shape, block, **layout):
    """What the library makes of an array of ours, and where that was."""
    array = ours.make(dtype, shape, block, device, **layout)
    source = them.fit(array)
    return them.take(source), array


@case
def takes_every_dtype_it_shares_with_us(ours, them, device):
    for dtype in them.dtypes:
        block = content(dtype, SHAPE)
        theirs, array = handed(ours, them, device, dtype, SHAPE, block)
        equal(them.bytes(theirs), block, dtype)
        equal((theirs.dtype, them.shape(theirs)), (them.dtype(dtype), SHAPE), dtype)
        equal((array.copied, them.address(theirs)), (False, array.address), dtype)


@case
def refuses_other_dtypes_or_gets_them_right(ours, them, device):
    for dtype in DTYPES.keys() - set(them.dtypes):
        block = content(dtype, SHAPE)
        try:
            theirs, _ = handed(ours, them, device, dtype, SHAPE, block)
        except Exception:
            continue
        equal(them.bytes(theirs), block, dtype)


@case
def gives_every_dtype_it_shares_with_us(ours, them, device):
    for dtype in them.dtypes:
        block = content(dtype, SHAPE)
        theirs = them.give(dtype, SHAPE, block, device)
        array = ours.take(theirs)
        equal((array.dtype, array.shape, array.device), (dtype, SHAPE, device))
        equal(array.address, them.address(theirs), dtype)
        equal(array.bytes(), block, dtype)
        equal(array.exclusive, them.lends_writable, dtype)


@case
def takes_every_layout_or_refuses_it(ours, them, device):
    block = content("Int32", (24,))
    for name, (shape, strides, offset) in LAYOUTS.items():
        # Elements that share places can be lent to read only.
        exclusive = name != "repeated"
        layout = {"strides": strides, "offset": offset, "exclusive": exclusive}
        try:
            theirs, array = handed(ours, them, device, "Int32", shape, block, **layout)
        except Exception:
            if name in them.layouts:
                raise
            continue
        equal(them.bytes(theirs), elements(block, 4, shape, strides, offset), name)
        equal(them.shape(theirs), shape, name)
        # JAX copies what does not begin at a multiple of 64 bytes.
        if not array.copied and (them.name != "jax" or array.address % 64 == 0):
            equal(them.address(theirs), array.address, name)


@case(where=strided)
def gives_every_layout_it_has(ours, them, device):
    block = content("Int32", (4, 6))
    theirs = them.give("Int32", (4, 6), block, device)
    parts = {
        "transposed": theirs.T,
        "every second": theirs[::2, ::2],
        "with an offset": theirs[2:, 1:],
        "a column": theirs[:, 3],
        "one element": theirs[3, 5:6],
    }
    if them.has_negative_strides:
        parts["reversed"] = theirs[::-1, ::-1]
    for name, part in parts.items():
        array = ours.take(part)
        equal(array.bytes(), them.bytes(part), name)
        equal(array.address, them.address(part), name)
    if them.name == "cupy":
        # CuPy divides strides as numbers without a sign, so that negative ones become far too long.
        refuses(ValueError, lambda: ours.take(theirs[::-1, ::-1]))


@case
def arrays_without_elements_and_without_axes_cross(ours, them, device):
    for shape in [(0,), (3, 0, 2), ()]:
        block = content("Float64", shape)
        theirs, _ = handed(ours, them, device, "Float64", shape, block)
        equal((them.shape(theirs), them.bytes(theirs)), (shape, block), shape)
        array = ours.take(them.give("Float64", shape, block, device))
        equal((array.shape, array.bytes()), (shape, block), shape)


@case(where=strided)
def repeated_elements_come_read_only(ours, them, device):
    row = them.give("Float32", (1, 4), floats([1, 2, 3, 4]), device)
    repeated = row.expand(3, 4) if them.name == "torch" else them.module.broadcast_to(row, (3, 4))
    array = ours.take(repeated)
    equal((array.shape, array.strides, array.exclusive), ((3, 4), (0, 1), False))
    equal(array.bytes(), floats([1, 2, 3, 4] * 3))


@case(where=writable)
def what_either_side_writes_the_other_reads(ours, them, device):
    theirs = them.give("Float32", (100,), floats(range(100)), device)
    array = ours.take(theirs)
    array.add(0.5, times=2)
    ours.settle(device)
    equal(them.bytes(theirs), floats(i + 1 for i in range(100)))
    # And back: the same memory once more, now through our export.
    again = them.take(them.fit(array))
    equal(them.address(again), them.address(theirs))
    them.fill(again, 7)
    equal(them.bytes(theirs), floats([7] * 100))


@case(where=writable)
def a_round_trip_of_a_thousand_hand_overs_moves_nothing(ours, them, device):
    block = content("Float32", (7, 3))
    array = ours.make("Float32", (7, 3), block, device)
    address = array.address
    for _ in range(1000):
        theirs = them.take(them.fit(array))
        array = ours.take(theirs)
        equal(array.address, address)
    equal(array.bytes(), block)


@case
def a_read_only_array_stays_so_or_is_copied(ours, them, device):
    block = floats([1, 2, 3])
    shared = ours.make("Float32", (3,), block, device, exclusive=False)
    theirs = them.take(them.fit(shared))
    equal(them.bytes(theirs), block)
    if them.heeds_read_only:
        equal((shared.copied, them.writable(theirs)), (False, False))
        equal(them.address(theirs), shared.address)
    elif them.name == "jax":
        # It asks for the struct without flags.
        equal(shared.copied, True)
    elif them.name == "torch":
        equal(shared.copied, True)
        equal(shared.bytes(), block)
        them.fill(theirs, 9)
        equal(shared.bytes(), block)
    # Lent, not handed over: it can be lent again, and read.
    equal(them.bytes(them.take(them.fit(shared))), block)


@case
def a_consumer_from_before_dlpack_1_gets_a_copy_of_what_is_read_only(ours, them, device):
    block = floats([1, 2, 3])
    shared = ours.make("Float32", (3,), block, device, exclusive=False)
    theirs = them.take(Legacy(shared))
    equal((shared.copied, them.bytes(theirs)), (True, block))
    refuses(BufferError, lambda: shared.__dlpack__(copy=False))
    exclusive = ours.make("Float32", (3,), block, device)
    theirs = them.take(Legacy(exclusive))
    equal((exclusive.copied, them.bytes(theirs)), (False, block))
    equal(them.address(theirs), exclusive.address)


@case
def a_copy_asked_for_is_made_and_leaves_the_array_with_us(ours, them, device):
    block = floats([1, 2, 3])
    array = ours.make("Float32", (3,), block, device)
    theirs = them.take(OnceOnDemand(array, max_version=(1, 0) if them.name != "jax" else None, copy=True))
    equal((array.copied, array.bytes(), them.bytes(theirs)), (True, block, block))
    if them.lends_writable:
        them.fill(theirs, 5)
    equal(array.bytes(), block)


@case(only="cupy")
def an_array_of_a_gpu_comes_to_the_cpu_when_asked_to(ours, them, device):
    block = content("Float32", (5, 4))
    array = ours.make("Float32", (4, 5), block, device, strides=(1, 4))
    there = them.np.from_dlpack(array, device="cpu")
    equal(there.tobytes(), elements(block, 4, (4, 5), (1, 4), 0))
    equal((array.copied, math.prod(there.strides)), (True, 20 * 4))


@case(only="torch", where=gpu)
def pinned_memory_comes_as_memory_of_the_cpu(ours, them, device):
    theirs = them.give("Float32", (3,), floats([1, 2, 3]), CPU).pin_memory()
    equal(int(theirs.__dlpack_device__()[0]), 3)
    array = ours.take(theirs)
    equal((array.device, array.bytes()), (CPU, floats([1, 2, 3])))


