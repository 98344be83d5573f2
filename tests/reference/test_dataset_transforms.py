"""Transforms, on their own and in ``map``:

values to the bit, random ones by their streams, errors by their words.
"""
import base64

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np
from mindspore.dataset.vision import Border, Inter

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

IMAGES = np.random.RandomState(3)
IMAGE = IMAGES.randint(0, 256, (20, 30, 3)).astype(np.uint8)
GREY = IMAGES.randint(0, 256, (28, 28)).astype(np.uint8)
FLOAT = (IMAGES.rand(9, 7, 3) * 255).astype(np.float32)
# Every pixel says where it came from: (row, column, 0).
PLACES = np.stack([*np.mgrid[0:8, 0:10], np.zeros((8, 10))], -1).astype(np.uint8)

# A 22x17 JPEG of colour gradients, with halved chroma.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO"
    "UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09PT0//wAARCAARABYDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAUGBP/EABwQAAEEAwEAAAAAAAAAAAAAAAAE"
    "BSIxAzJBIf/EABgBAAIDAAAAAAAAAAAAAAAAAAQGAwUH/8QAHhEAAQMEAwAAAAAAAAAAAAAAAAECAwQFISIxMkH/2gAMAwEAAhED"
    "EQA/AManbqiVE7dUS2nbqiVE7dUSNkoPRXLjJCwt3moNfhbo6gJSUZGXLVMnGn4VE/ACtYZ3ReFLDqAAhBkZ1Q//2Q==")

EXACT = {
    "cast-int": lambda: T.TypeCast(ms.int32)(np.array([1.7, -1.5, 300])),
    "cast-uint8": lambda: T.TypeCast(ms.uint8)(np.array([1.7, -1.5, 300])),
    "cast-bool": lambda: T.TypeCast(ms.bool_)(np.array([0.0, -1.5, 300])),
    "cast-half": lambda: T.TypeCast(ms.float16)(np.array([1.7, -1.5, 300])),
    "cast-numpy": lambda: T.TypeCast(np.float32)(np.array([1, 2])),
    "cast-text": lambda: (T.TypeCast(ms.string)("abc"), T.TypeCast(np.str_)(np.array(["a", "bcd"]))),
    "cast-python": lambda: T.TypeCast(float)(np.array([1, 2])),
    "one-hot": lambda: T.OneHot(3)(np.array(1)),
    "one-hot-many": lambda: T.OneHot(3)(np.array([1, 2], np.int32)),
    "one-hot-one": lambda: T.OneHot(3)(np.array([1], np.uint8)),
    "one-hot-column": lambda: T.OneHot(3)(np.array([[1], [2]])),
    "one-hot-smooth": lambda: T.OneHot(3, 0.1)(np.array(1)),
    "concatenate": lambda: T.Concatenate(0, np.array([1, 2]), np.array([9]))(np.array([5])),
    "duplicate": lambda: T.Duplicate()(np.array([5])),
    "fill": lambda: T.Fill(7.6)(np.array([5, 6], np.int32)),
    "fill-text": lambda: T.Fill("x")(np.array(["aa", "b"])),
    "fill-wraps": lambda: T.Fill(-1)(np.array([1], np.uint8)),
    "mask": lambda: T.Mask(T.Relational.GT, 3)(np.array([1, 4])),
    "mask-cast-constant": lambda: T.Mask(T.Relational.LE, 3.5)(np.array([3, 4])),
    "mask-int": lambda: T.Mask(T.Relational.EQ, 3, ms.int32)(np.array([3, 4])),
    "pad-end": lambda: T.PadEnd([4], -1)(np.array([1, 2])),
    "pad-end-cut": lambda: T.PadEnd([1])(np.array([1, 2])),
    "pad-end-text": lambda: T.PadEnd([4], "z")(np.array(["a"])),
    "slice-int": lambda: T.Slice(0)(np.array([1, 2, 3])),
    "slice-list": lambda: T.Slice([0, -1])(np.array([1, 2, 3])),
    "slice-slice": lambda: T.Slice(slice(1, 3))(np.array([1, 2, 3])),
    "slice-axes": lambda: T.Slice(None, slice(0, 1))(np.array([[1, 2, 3], [4, 5, 6]])),
    "compose": lambda: T.Compose([lambda x: x + 1, T.TypeCast(ms.int16)])(np.array([1])),
    "hwc2chw": lambda: V.HWC2CHW()(IMAGE),
    "hwc2chw-grey": lambda: V.HWC2CHW()(GREY),
    "rescale-uint8": lambda: V.Rescale(1 / 0.3081, -1 * 0.1307 / 0.3081)(IMAGE),
    "rescale-float": lambda: V.Rescale(0.1, 7.3)(FLOAT),
    "rescale-double": lambda: V.Rescale(0.1, 7.3)(FLOAT.astype(np.float64)),
    "normalize": lambda: V.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])(IMAGE),
    "normalize-chw": lambda: V.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375], False)(
        np.ascontiguousarray(FLOAT.transpose(2, 0, 1))),
    "normalize-one": lambda: V.Normalize([0.1307], [0.3081])(FLOAT),
    "normalize-grey": lambda: V.Normalize([100.], [50.])(GREY),
    "normalize-pad": lambda: V.NormalizePad([120.] * 3, [70.] * 3, "float16", False)(
        np.ascontiguousarray(IMAGE.transpose(2, 0, 1))),
    "to-tensor": lambda: V.ToTensor()(IMAGE),
    "to-tensor-grey": lambda: V.ToTensor()(GREY),
    "to-tensor-float": lambda: V.ToTensor()(FLOAT),
    "to-tensor-double": lambda: V.ToTensor(np.float64)(IMAGE),
    "center-crop": lambda: V.CenterCrop((7, 4))(IMAGE),
    "center-crop-bigger": lambda: V.CenterCrop((25, 33))(IMAGE),
    "center-crop-one-side": lambda: V.CenterCrop((25, 5))(IMAGE),
    "flips": lambda: (V.HorizontalFlip()(IMAGE), V.VerticalFlip()(IMAGE), V.RandomHorizontalFlip(1.0)(IMAGE)),
    "crop": lambda: V.Crop((2, 3), (4, 5))(IMAGE),
    "pad": lambda: V.Pad([1, 2])(IMAGE),
    "pad-four": lambda: V.Pad((1, 2, 0, 3), 5)(GREY),
    "pad-colour": lambda: V.Pad(1, (1, 2, 3))(IMAGE),
    "pad-edge": lambda: V.Pad(2, 0, Border.EDGE)(IMAGE),
    "pad-reflect": lambda: V.Pad(2, 0, Border.REFLECT)(GREY),
    "pad-symmetric": lambda: V.Pad(2, 0, Border.SYMMETRIC)(GREY),
    "resize-batch": lambda: V.Resize((6, 5))(np.stack([IMAGE, IMAGE[::-1]])),
    "resize-int16": lambda: V.Resize((6, 5))(IMAGE.astype(np.int16)),
    "to-pil-and-back": lambda: V.ToNumpy()(V.ToPIL()(IMAGE)),
    "grey": lambda: np.array(V.Grayscale(3)(V.ToPIL()(IMAGE))),
    "pil-resize": lambda: np.array(V.Resize(17, Inter.BICUBIC)(V.ToPIL()(IMAGE))),
    "decode": lambda: V.Decode()(np.frombuffer(JPEG, np.uint8)),
    "decode-to-pil": lambda: np.array(V.Decode(True)(JPEG)),
    "pil-center-crop": lambda: np.array(V.CenterCrop(7)(V.ToPIL()(IMAGE))),
}


@case(each={"name": list(EXACT)}, rtol=0, atol=0, reason="no tolerance: the same floats")
def test_values(name):
    return EXACT[name]()


@case(each={"size": [(32, 32), (14, 14), (7, 11), (50, 40), (56, 56), (28, 28), 13, 224],
            "method": ["NEAREST", "LINEAR", "AREA"]})
def test_resize_of_bytes_is_exact(size, method):
    return V.Resize(size, Inter[method])(IMAGE), V.Resize(size, Inter[method])(GREY)


@case(each={"size": [(32, 32), (7, 11), 13], "method": ["NEAREST", "LINEAR"]},
      rtol=0, atol=0, reason="no tolerance: the same floats")
def test_resize_of_floats_is_exact(size, method):
    return V.Resize(size, Inter[method])(FLOAT)


@case(each={"size": [(32, 32), (7, 11), 13, (5, 60), (60, 5), (4, 3)]})
def test_resize_by_pillows_cubic(size):
    return V.Resize(size, Inter.PILCUBIC)(IMAGE)


@case(each={"size": [(32, 32), (7, 11)]}, rtol=0, atol=1e-4,
      reason="OpenCV's vector instructions sum the 16 terms in another order")
def test_cubic_resize_of_floats(size):
    return V.Resize(size, Inter.CUBIC)(FLOAT)


def piped(operations, count=12, image=PLACES, seed=7, output_columns=None):
    """Two epochs of the same image through transforms."""
    ds.config.set_seed(seed)
    ds.config.set_num_parallel_workers(1)
    dataset = ds.NumpySlicesDataset(np.stack([image] * count), ["a"], shuffle=False)
    dataset = dataset.map(operations, ["a"], output_columns, num_parallel_workers=1)
    iterator = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    return [[row[0] for row in iterator] for _ in range(2)]


RANDOM = {
    "flip": lambda: V.RandomHorizontalFlip(),
    "flip-rarely": lambda: V.RandomVerticalFlip(0.3),
    "crop": lambda: V.RandomCrop((5, 4)),
    "crop-padded": lambda: V.RandomCrop((8, 10), [2, 1, 2, 3], fill_value=9),
    "crop-pad-if-needed": lambda: V.RandomCrop((11, 10), pad_if_needed=True),
    "crop-edge": lambda: V.RandomCrop(8, 4, padding_mode=Border.EDGE),
    "resized-crop": lambda: V.RandomResizedCrop((4, 4)),
    "resized-crop-narrow": lambda: V.RandomResizedCrop(6, (0.9, 1.0), (3.0, 4.0), Inter.NEAREST, 2),
    "colours": lambda: V.RandomColorAdjust(0.4, 0.4, 0.4),
    "contrast": lambda: V.RandomColorAdjust(contrast=(0.5, 1.5)),
    "saturation": lambda: V.RandomColorAdjust(saturation=(0.2, 1.9)),
    "apply": lambda: T.RandomApply([V.HorizontalFlip(), V.VerticalFlip()], 0.3),
    "choice": lambda: T.RandomChoice([V.HorizontalFlip(), V.VerticalFlip(), T.Fill(1)]),
    "two-flips": lambda: [V.RandomHorizontalFlip(), V.RandomVerticalFlip()],
}


@case(each={"name": list(RANDOM)})
def test_random_transforms_by_their_streams(name):
    return piped(RANDOM[name]()), piped(RANDOM[name](), image=IMAGE[:11, :12])


@case(rtol=0, atol=3,
      reason="MindSpore decodes the crop alone, and its border's halved chroma without the surroundings")
def test_random_crop_from_the_bytes_of_a_file():
    epochs = piped(V.RandomCropDecodeResize((6, 5)), image=np.frombuffer(JPEG, np.uint8))
    return [[image.astype(np.float32) for image in epoch] for epoch in epochs]


@case
def test_random_transform_called_alone_starts_from_the_seed_each_time():
    ds.config.set_seed(11)
    crop = V.RandomCrop((5, 4))
    return crop(PLACES), crop(PLACES)


@case(rtol=0, atol=0, reason="no tolerance: the same floats")
def test_pil_and_arrays_in_one_map():
    return piped([V.ToPIL(), V.Resize(6), V.RandomHorizontalFlip(), V.ToTensor(),
                  V.Normalize([.5], [.5], False)], 6, IMAGE)


ERRORS = {
    "cast-name": lambda: piped(T.TypeCast(ms.string)),
    "one-hot-outside": lambda: T.OneHot(3)(np.array([3])),
    "one-hot-float": lambda: T.OneHot(3)(np.array([1.])),
    "one-hot-none": lambda: T.OneHot(0),
    "concatenate-types": lambda: T.Concatenate(0, np.array([1, 2.]))(np.array([5])),
    "concatenate-2d": lambda: T.Concatenate()(np.array([[1]]), np.array([[2]])),
    "pad-end-rank": lambda: T.PadEnd([4, 4])(np.array([1, 2])),
    "slice-outside": lambda: T.Slice(5)(np.array([1, 2, 3])),
    "compose-empty": lambda: T.Compose([]),
    "hwc2chw-1d": lambda: V.HWC2CHW()(np.zeros(3)),
    "hwc2chw-list": lambda: V.HWC2CHW()([1]),
    "hwc2chw-map": lambda: piped(V.HWC2CHW(), image=np.zeros(3)),
    "normalize-channels": lambda: V.Normalize([121., 115.], [70., 68.])(IMAGE),
    "normalize-lengths": lambda: V.Normalize([121., 115.], [70.]),
    "normalize-mean": lambda: V.Normalize([300.], [70.]),
    "normalize-std": lambda: V.Normalize([30.], [0.]),
    "rescale-text": lambda: V.Rescale("a", 1),
    "resize-zero": lambda: V.Resize(0),
    "resize-three": lambda: V.Resize((1, 2, 3)),
    "resize-1d": lambda: V.Resize(3)(np.zeros(3, np.uint8)),
    "resize-map": lambda: piped(V.Resize(3), image=np.zeros(3, np.uint8)),
    "resize-pil-cubic-grey": lambda: V.Resize((3, 3), Inter.PILCUBIC)(GREY),
    "crop-too-big": lambda: V.RandomCrop(99)(IMAGE),
    "grey-array": lambda: V.Grayscale()(IMAGE),
    "decode-rubbish": lambda: V.Decode()(np.zeros(9, np.uint8)),
    "decode-2d": lambda: V.Decode()(np.zeros((3, 3), np.uint8)),
    "flip-probability": lambda: V.RandomHorizontalFlip(1.5),
    "pad-three": lambda: V.Pad((1, 2, 3)),
    "fill-value": lambda: V.Pad(1, 256),
    "fill-half": lambda: T.Fill(3)(np.ones(2, np.float16)),
}


@case(each={"name": list(ERRORS)})
def test_what_errors_say(name):
    return said(ERRORS[name])


@case
def test_settings():
    config = ds.config
    config.set_seed(12)
    config.set_prefetch_size(3)
    config.set_num_parallel_workers(2)
    config.set_monitor_sampling_interval(50)
    config.set_numa_enable(True)
    return (config.get_seed(), config.get_prefetch_size(), config.get_num_parallel_workers(),
            config.get_monitor_sampling_interval(), config.get_numa_enable(), config.get_auto_num_workers(),
            config.get_callback_timeout(), config.get_enable_watchdog(), config.get_enable_shared_mem(),
            config.get_iterator_mode(), config.get_multiprocessing_timeout_interval(), float(np.random.rand()),
            said(lambda: config.set_seed(-1)), said(lambda: config.set_seed(1.5)),
            said(lambda: config.set_prefetch_size(0)), said(lambda: config.set_num_parallel_workers(True)))


@case
def test_a_text_is_no_picture():
    try:
        return V.Decode(True)(np.frombuffer(b"hello", np.uint8))
    except ValueError as error:
        return str(error).split(" object at")[0], str(error).splitlines()[1:]
