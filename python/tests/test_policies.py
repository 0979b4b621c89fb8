"""What becomes of numbers that another dtype cannot hold."""

import inspect
from collections import namedtuple

import arrayspan
import numpy as np
import pytest
from arrayspan import convert, declared

MIXED = np.array([-3.0, -0.5, 0.5, 1.5, 2.6, 255.5, 300.0])


def bytes_of(**policy):
    return convert(MIXED, "numpy", dtype="uint8", **policy).tolist()


def test_what_does_not_fit_wraps_or_saturates():
    assert bytes_of() == [253, 0, 0, 2, 3, 0, 44]
    assert bytes_of(overflow="saturate") == [0, 0, 0, 2, 3, 255, 255]
    ours = arrayspan.asarray(MIXED)
    assert ours.astype("uint8").tolist() == bytes_of()
    assert ours.astype("uint8", overflow="saturate").tolist() == bytes_of(overflow="saturate")
    large = np.array([1e300, -1e300])
    assert convert(large, "numpy", dtype="float32").tolist() == [np.inf, -np.inf]
    largest = float(np.finfo("float32").max)
    assert convert(large, "numpy", dtype="float32", overflow="saturate").tolist() == [largest, -largest]


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [
        ("nearest-even", [-2, -2, 0, 0, 2, 2]),
        ("nearest-away", [-3, -2, -1, 1, 2, 3]),
        ("toward-zero", [-2, -1, 0, 0, 1, 2]),
        ("down", [-3, -2, -1, 0, 1, 2]),
        ("up", [-2, -1, 0, 1, 2, 3]),
    ],
)
def test_fractions_are_rounded_as_is_said(rounding, expected):
    halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], "float32")
    assert convert(halves, "numpy", dtype="int16", rounding=rounding).tolist() == expected
    assert arrayspan.asarray(halves).astype("int16", rounding=rounding).tolist() == expected


def test_what_is_to_be_exact_is_or_is_refused():
    x = np.array([1.0, 255.0])
    assert convert(x, "numpy", dtype="uint8", overflow="exact").tolist() == [1, 255]
    for wrong in (0.5, -1.0, 256.0, np.nan):
        with pytest.raises(arrayspan.DTypeError):
            convert(np.array([1.0, wrong]), "numpy", dtype="uint8", overflow="exact")
        with pytest.raises(TypeError):
            arrayspan.asarray(np.array([wrong])).astype("uint8", overflow="exact")
    with pytest.raises(arrayspan.DTypeError):
        convert(np.array([1 / 3]), "numpy", dtype="float32", overflow="exact")


def test_numbers_are_scaled_from_what_there_is_or_from_a_range():
    x = np.array([2.0, 3.0, 4.0], "float32")
    assert convert(x, "numpy", dtype="uint8", scale="minmax").tolist() == [0, 128, 255]
    assert convert(x, "numpy", dtype="uint8", scale=(0, 4)).tolist() == [128, 191, 255]
    assert convert(x, "numpy", dtype="uint8", scale=(3, 4), overflow="saturate").tolist() == [0, 0, 255]
    scaled, copies = convert(x, "numpy", scale="minmax", report=True)
    assert scaled.tolist() == [0, 0.5, 1] and scaled.dtype == "float32" and len(copies) == 1
    ours = arrayspan.asarray(x).astype(scale=[2, 6])
    assert ours.dtype == "float32" and ours.tolist() == [0, 0.25, 0.5]
    image = np.array([[10, 20], [20, 30]], "uint8")
    assert convert(image, "numpy", scale="minmax").tolist() == [[0, 128], [128, 255]]
    assert convert(image, "numpy", dtype="float64", scale=(0, 255))[0, 0] == pytest.approx(10 / 255)
    with pytest.raises(arrayspan.CopyRefused):
        convert(x, "numpy", scale="minmax", zero_copy=True)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_short_floats(name):
    dtype = np.dtype(name) if name == "float16" else np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    x = np.array([0.1, 2.5, 1e30, 300.4])
    short = convert(x, "numpy", dtype=name, overflow="saturate")
    assert short.dtype == dtype and np.isfinite(short.astype("float64")).all()
    assert convert(short, "numpy", dtype="uint8", overflow="saturate").tolist() == [0, 2, 255, 255]
    with pytest.raises(arrayspan.DTypeError):
        convert(x, "numpy", dtype=name, overflow="exact")


def test_arrays_without_elements_have_none_after():
    empty = np.zeros((0, 3))
    for policy in (dict(dtype="uint8", overflow="exact"), dict(dtype="int8", scale="minmax"), dict(scale=(0, 1))):
        assert convert(empty, "numpy", **policy).shape == (0, 3)
        assert arrayspan.asarray(empty).astype(**policy).shape == (0, 3)


def test_words_that_are_none_are_refused():
    x = np.ones(3)
    for wrong in (dict(overflow="clip"), dict(rounding="nearest"), dict(scale="max"), dict(scale=(1, 1)), dict(scale=(0, np.inf))):
        (name,) = wrong
        with pytest.raises((arrayspan.ParameterError, arrayspan.DTypeError), match=name):
            convert(x, "numpy", dtype="uint8", **wrong)
        with pytest.raises((arrayspan.ParameterError, arrayspan.DTypeError), match=name):
            arrayspan.asarray(x).astype("uint8", **wrong)
    for wrong in (3, (1,), (1, 2, 3), ["a", "b"], object()):
        with pytest.raises(TypeError, match="scale"):
            convert(x, "numpy", scale=wrong)
    with pytest.raises(arrayspan.DTypeError):
        convert(x + 1j, "numpy", dtype="float32", overflow="saturate")


def test_help_shows_the_defaults():
    for function in (convert, arrayspan.Array.astype):
        parameters = inspect.signature(function).parameters
        assert [parameters[name].default for name in ("overflow", "rounding", "scale")] == [None, "nearest-even", None]


IMAGE = np.array([[0, 100, 200], [1, 3, 255]], "uint8")


@declared.numpy(dtype="preserve")
def brighter(image, factor=1.5):
    return factor * image.astype("float32")


@pytest.mark.parametrize("kind", ["numpy", "arrayspan", "jax", "torch"])
def test_an_image_stays_an_image(kind):
    if kind in ("jax", "torch"):
        pytest.importorskip(kind, exc_type=ImportError)
    image = convert(IMAGE, kind)
    found = brighter(image)
    assert arrayspan.kind_of(found) == kind
    found = convert(found, "numpy")
    assert found.dtype == "uint8" and found.tolist() == [[0, 150, 255], [2, 4, 255]]
    stretched = declared.numpy(dtype="preserve", scale="minmax")(lambda x: x.astype("float64") / 7)
    assert np.array_equal(convert(stretched(image), "numpy"), convert(IMAGE, "numpy", scale="minmax"))


def test_results_are_of_the_dtype_that_is_named_or_as_they_were_made():
    @declared.arrayspan(output="numpy", dtype=np.dtype("int16"), rounding="down")
    def parts(x):
        half = x.astype("float32").numpy() / 2
        return half, [half - 1e9], "text"

    low, (least,), text = parts(IMAGE)
    assert low.dtype == least.dtype == "int16" and low.tolist() == (IMAGE // 2).tolist() and text == "text"
    assert (least == np.iinfo("int16").min).all()
    assert declared.numpy(lambda x: x / 2)(IMAGE).dtype == "float64"
    Pair = namedtuple("Pair", "a b")
    pair = declared.numpy(dtype="float32")(lambda x: Pair(x, 3))(IMAGE)
    assert type(pair) is Pair and pair.a.dtype == "float32" and pair.b == 3
    made = declared.numpy(dtype="uint8")(lambda n: np.full(n, 300.0))(2)
    assert made.dtype == "uint8" and made.tolist() == [255, 255]
    made = declared.numpy(dtype="preserve")(lambda n: np.full(n, 300.0))(2)
    assert made.dtype == "float64"


def test_results_that_do_not_fit_are_typed_errors():
    with pytest.raises(arrayspan.DTypeError):
        declared.numpy(dtype="preserve", overflow="exact")(lambda x: x * 1.5)(IMAGE)
    with pytest.raises(arrayspan.DTypeError):
        declared.numpy(dtype="preserve")(lambda x: x * 1j)(IMAGE)
    for wrong in (dict(dtype="uint9"), dict(overflow="clip"), dict(rounding="nearest"), dict(scale="max")):
        with pytest.raises(arrayspan.Error):
            declared.numpy(**wrong)
        with pytest.raises(arrayspan.Error):
            declared.memory_types("numpy", **wrong)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn"])
def test_types_that_numpy_does_not_hand_over_are_taken_without_a_copy(name):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    x = np.arange(12).astype(dtype).reshape(3, 4)
    ours = arrayspan.asarray(x[::-1, 1:])
    assert ours.dtype == name and ours.writable and np.array_equal(ours.numpy(), x[::-1, 1:])
    x[2, 1] = 5
    assert ours.numpy()[0, 0] == 5 and np.shares_memory(ours.numpy(), x)
    x.flags.writeable = False
    assert not arrayspan.asarray(x).writable and not convert(x, "numpy").flags.writeable
    assert arrayspan.asarray(x[:0]).shape == (0, 4)
    rounded = declared.numpy(dtype="preserve")(lambda x: x.astype("float32") + 0.01)(x)
    assert rounded.dtype == dtype
    with pytest.raises(ValueError):
        x.resize((24,))


def test_types_that_are_no_numbers_are_refused():
    for x in (np.array(["a"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, [("a", "f4")])):
        with pytest.raises(arrayspan.DTypeError, match="cannot be used"):
            convert(x, "numpy")


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("scale", ["minmax", (0.0, 2.0)])
def test_the_largest_is_the_largest_of_64_bits_too(dtype, scale):
    for given in (np.array([0.0, 1.0, 2.0]), np.array([2.0, 0.0, 1e-3])):
        found = arrayspan.convert(given, "numpy", dtype=dtype, scale=scale)
        assert found[given.argmax()] > 0.999 * np.iinfo(dtype).max
        assert found[given.argmin()] == np.iinfo(dtype).min


@pytest.mark.parametrize("scale", [b"ab", (True, 2), (10**400, 1), (1, 2, 3), "least"])
def test_what_is_no_scale_is_refused(scale):
    with pytest.raises((TypeError, arrayspan.ParameterError), match="scale"):
        arrayspan.convert(np.ones(3), "numpy", dtype="uint8", scale=scale)


def test_masks_and_foreign_byte_orders_are_refused_wherever_arrays_are_taken():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    swapped = np.arange(3.0).astype(">f8" if np.little_endian else "<f8")
    for given in (masked, swapped):
        for take in (arrayspan.asarray, lambda x: arrayspan.convert(x, "numpy"), arrayspan.declared.numpy(lambda x: x)):
            with pytest.raises(arrayspan.DTypeError, match="mask|byte order"):
                take(given)
