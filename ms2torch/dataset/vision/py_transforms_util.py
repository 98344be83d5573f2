"""The transforms of PIL images as functions (``mindspore.dataset.vision.py_transforms_util``).

Programs of r1.x call them in transforms of their own. Where the images are not PIL images but arrays, the
text says so. Python's and numpy's generators draw. Interpolations are `Inter` or Pillow's numbers of them.
"""

from __future__ import annotations

import io
import math
import random

import numpy as np

from ..transforms.operation import is_pil
from . import _adjust, _arrays, _colours, _convert, _geometry, _hue, _pieces, _policies, _random, _warps
from .images import needs_pil, pillow
from .utils import Border, Inter

__all__ = ["adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
           "augment_error_message", "auto_contrast", "center_crop", "crop", "decode", "equalize", "erase",
           "five_crop", "get_erase_params", "get_perspective_params", "grayscale", "horizontal_flip",
           "hsv_to_rgb", "hsv_to_rgbs", "hwc_to_chw", "invert_color", "is_numpy", "is_pil",
           "linear_transform", "mix_up_muti", "mix_up_single", "normalize", "pad", "perspective",
           "random_affine", "random_color", "random_color_adjust", "random_crop", "random_horizontal_flip",
           "random_lighting", "random_resize_crop", "random_rotation", "random_sharpness",
           "random_vertical_flip", "resize", "rgb_to_bgr", "rgb_to_bgrs", "rgb_to_hsv", "rgb_to_hsvs",
           "rotate", "ten_crop", "to_pil", "to_tensor", "to_type", "uniform_augment", "vertical_flip"]

augment_error_message = ("img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for "
                         "decoded data.")


def is_numpy(img) -> bool:
    """Whether it is a numpy array."""
    return isinstance(img, np.ndarray)


def _needs_array(img, what: str = "NumPy array", end: str = ".") -> None:
    if not is_numpy(img):
        raise TypeError(f"img should be {what}. Got {type(img)}{end}")


# ---- from and to arrays ------------------------------------------------------------------------------------

def decode(img):
    """The bytes of an image file as an RGB image."""
    try:
        return pillow("Image").open(io.BytesIO(img)).convert("RGB")
    except OSError as error:
        raise ValueError(f"{error}\n: Failed to decode given image.") from None
    except AttributeError as error:
        raise ValueError(f"{error}\n: Failed to decode, Image might already be decoded.") from None


def to_pil(img):
    """An (H, W) or (H, W, C) array as an image."""
    if is_pil(img):
        return img
    if not is_numpy(img):
        raise TypeError("The input image should be of type numpy.ndarray or PIL.Image.Image. Got "
                        f"{type(img)}.")
    return _convert.ToPIL()._compute(img)


def hwc_to_chw(img):
    """An (H, W, C) array as (C, H, W); (H, W) stays as it is."""
    _needs_array(img)
    if img.ndim not in (2, 3):
        raise TypeError(f"img dimension should be 2 or 3. Got {img.ndim}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def to_tensor(img, output_type):
    """An image or array with values up to 255 as a (C, H, W) array of numbers up to 1."""
    if not (is_pil(img) or is_numpy(img)):
        raise TypeError("The input image should be of type numpy.ndarray or PIL.Image.Image. Got "
                        f"{type(img)}.")
    img = np.asarray(img)
    if img.ndim not in (2, 3):
        raise TypeError(f"The dimension of input image should be 2 or 3. Got {img.ndim}.")
    return to_type(hwc_to_chw(img if img.ndim == 3 else img[:, :, None]) / 255.0, output_type)


def to_type(img, output_type):
    """An array in another dtype."""
    _needs_array(img, "NumPy image")
    try:
        return img.astype(output_type)
    except (TypeError, ValueError, OverflowError):
        raise RuntimeError(f"output_type: {output_type} is not a valid datatype.") from None


def normalize(img, mean, std, pad_channel=False, dtype="float32"):
    """``(img - mean) / std`` of a (C, H, W) array of floats, in its dtype; ``pad_channel`` adds zeros, and
    makes it ``dtype`` if that is "float16".
    """
    _needs_array(img, "NumPy image")
    if img.ndim != 3:
        raise TypeError(f"img dimension should be 3. Got {img.ndim}.")
    if np.issubdtype(img.dtype, np.integer):
        raise NotImplementedError(f"Unsupported image datatype: [{img.dtype}], pls execute [ToTensor] before "
                                  "[Normalize].")
    if len(mean) != len(std):
        raise ValueError("Length of mean and std must be equal.")
    if len(mean) not in (1, len(img)):
        raise ValueError("Length of mean and std must both be 1 or equal to the number of "
                         f"channels({len(img)}).")
    mean, std = (np.array(one, img.dtype).reshape(-1, 1, 1) for one in (mean, std))
    normal = (img - mean) / std
    if not pad_channel:
        return normal
    normal = np.concatenate([normal, np.zeros((1, *normal.shape[1:]), np.float32)])
    return normal.astype(np.float16) if dtype == "float16" else normal


def linear_transform(np_img, transformation_matrix, mean_vector):
    """`LinearTransformation` of an array."""
    return _arrays.LinearTransformation(transformation_matrix, mean_vector)._execute_py(np_img)


# ---- pieces ------------------------------------------------------------------------------------------------

def crop(img, top, left, height, width):
    """A rectangle."""
    needs_pil(img)
    return img.crop((left, top, left + width, top + height))


def center_crop(img, size):
    """The middle."""
    return _geometry.CenterCrop(size)._execute_py(img)


def random_crop(img, size, padding, pad_if_needed, fill_value, padding_mode):
    """A rectangle from anywhere, after padding."""
    return _geometry.RandomCrop(size, padding, pad_if_needed, _filling(fill_value),
                                _border(padding_mode))._execute_py(img)


def random_resize_crop(img, size, scale, ratio, interpolation=Inter.BILINEAR, max_attempts=10):
    """A rectangle of random area and proportion, at another size."""
    return _random.RandomResizedCrop(size, scale, ratio, Inter(interpolation), max_attempts)._execute_py(img)


def five_crop(img, size):
    """The corners and the middle, as a tuple."""
    return _pieces.FiveCrop(size)._execute_py(img)


def ten_crop(img, size, use_vertical_flip=False):
    """`five_crop` of the image and of the mirrored one."""
    return _pieces.TenCrop(size, use_vertical_flip)._execute_py(img)


def pad(img, padding, fill_value, padding_mode):
    """Pixels around the image."""
    needs_pil(img)
    return _geometry.Pad(padding, _filling(fill_value), _border(padding_mode))._execute_py(img)


def _filling(value):
    return tuple(value) if isinstance(value, list) else value


def _border(mode) -> Border:
    if mode not in list(Border):
        raise ValueError("Padding mode should be 'constant', 'edge', 'reflect', or 'symmetric'.")
    return Border(mode)


def resize(img, size, interpolation=Inter.BILINEAR):
    """Another size: (height, width), or of the shorter side."""
    return _geometry.Resize(size, Inter(interpolation))._execute_py(img)


# ---- turned and tilted -------------------------------------------------------------------------------------

def horizontal_flip(img):
    """Left becomes right."""
    needs_pil(img)
    return img.transpose(pillow("Image").Transpose.FLIP_LEFT_RIGHT)


def vertical_flip(img):
    """Top becomes bottom."""
    needs_pil(img)
    return img.transpose(pillow("Image").Transpose.FLIP_TOP_BOTTOM)


def random_horizontal_flip(img, prob):
    """`horizontal_flip`, with probability ``prob``."""
    return _geometry.RandomHorizontalFlip(prob)._execute_py(img)


def random_vertical_flip(img, prob):
    """`vertical_flip`, with probability ``prob``."""
    return _geometry.RandomVerticalFlip(prob)._execute_py(img)


def rotate(img, angle, resample, expand, center, fill_value):
    """Turned by ``angle`` degrees, counter-clockwise."""
    needs_pil(img)
    angle = angle % 360.0
    if resample == Inter.ANTIALIAS and (center or angle % 90):
        raise ValueError("When using Inter.ANTIALIAS, center needs to be None and angle needs to be an "
                         "integer multiple of 90.")
    fill_value = (fill_value,) * 3 if isinstance(fill_value, int) else _filling(fill_value)
    return img.rotate(angle, resample, expand, center, fillcolor=fill_value)


def random_rotation(img, degrees, resample, expand, center, fill_value):
    """`rotate` by an angle out of (smallest, largest), or up to one number in either direction."""
    needs_pil(img)
    if isinstance(degrees, (list, tuple)):
        if len(degrees) != 2:
            raise ValueError("If degrees is a sequence, the length must be 2.")
    elif not isinstance(degrees, (int, float)):
        raise TypeError("Degrees must be a single non-negative number or a sequence.")
    elif degrees < 0:
        raise ValueError("If degrees is a single number, it cannot be negative.")
    else:
        degrees = (-degrees, degrees)
    return rotate(img, random.uniform(*degrees), resample, expand, center, fill_value)


def random_affine(img, angle, translations, scale, shear, resample, fill_value=0):
    """Turned, moved, scaled and sheared by what is drawn from ranges; see `RandomAffine` of PIL images."""
    needs_pil(img, ValueError("Input image should be a Pillow image."))
    turn, move, turns = random.uniform(*angle), (0, 0), (0.0, 0.0)
    if translations is not None:
        move = _warps.drawn_move(img.size, translations)
    scale = 1.0 if scale is None else random.uniform(*scale)
    if shear is not None:
        turns = random.uniform(*shear[:2]), random.uniform(*shear[2:]) if len(shear) == 4 else 0.0
    return _warps.warped_pil(img, turn, move, scale, turns, Inter(resample))


def get_perspective_params(img, distortion_scale):
    """(four corners, where they are drawn to), for `perspective`."""
    return _warps.drawn_corners(img.size, distortion_scale)


def perspective(img, start_points, end_points, interpolation=Inter.BICUBIC):
    """Tilted, so that four points (x, y) come to lie on four others."""
    return _warps.Perspective(start_points, end_points, Inter(interpolation))._execute_py(img)


# ---- colours -----------------------------------------------------------------------------------------------

def adjust_brightness(img, brightness_factor):
    """All values times the factor."""
    return _adjust.AdjustBrightness(brightness_factor)._execute_py(img)


def adjust_contrast(img, contrast_factor):
    """Away from the mean grey, or towards it."""
    return _adjust.AdjustContrast(contrast_factor)._execute_py(img)


def adjust_saturation(img, saturation_factor):
    """Away from grey, or towards it."""
    return _adjust.AdjustSaturation(saturation_factor)._execute_py(img)


def adjust_hue(img, hue_factor):
    """All hues turned, by -0.5 to 0.5 of the circle."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"image_hue_factor {hue_factor} is not in [-0.5, 0.5].")
    return _hue.turned_pil(img, hue_factor)


def adjust_gamma(img, gamma, gain):
    """``gain * img ** gamma``, on a scale from 0 to 1."""
    needs_pil(img, TypeError(f"img should be PIL image. Got {type(img)}."))
    return _adjust.AdjustGamma(gamma, gain)._execute_py(img)


def random_color_adjust(img, brightness, contrast, saturation, hue):
    """Brightness, contrast, saturation and hue changed by what is drawn, in random order."""
    return _random.RandomColorAdjust(brightness, contrast, saturation, hue)._execute_py(img)


def random_color(img, degrees):
    """`adjust_saturation` by a factor out of (smallest, largest)."""
    return _colours.RandomColor(degrees)._execute_py(img)


def random_sharpness(img, degrees):
    """Sharper or softer by a factor out of (smallest, largest)."""
    return _adjust.RandomSharpness(degrees)._execute_py(img)


def random_lighting(img, alpha):
    """A colour added along the main directions of ImageNet's colours."""
    return _adjust.RandomLighting(alpha)._execute_py(img)


def auto_contrast(img, cutoff, ignore):
    """Values spread over 0 to 255, after leaving out ``cutoff`` percent at both ends."""
    needs_pil(img)
    return pillow("ImageOps").autocontrast(img, cutoff, ignore)


def equalize(img):
    """Values spread so that each is equally frequent."""
    needs_pil(img)
    return _colours.Equalize()._execute_py(img)


def invert_color(img):
    """255 - value."""
    needs_pil(img)
    return _colours.Invert()._execute_py(img)


def grayscale(img, num_output_channels):
    """Shades of grey, in 1 channel or 3 equal ones."""
    needs_pil(img)
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels should be either 1 or 3. Got {num_output_channels}.")
    return _convert.Grayscale(num_output_channels)._execute_py(img)


def rgb_to_bgr(np_rgb_img, is_hwc):
    """The first channel of an (H, W, C) or (C, H, W) array becomes the last."""
    return np_rgb_img[:, :, ::-1] if is_hwc else np_rgb_img[::-1, :, :]


def rgb_to_bgrs(np_rgb_imgs, is_hwc):
    """`rgb_to_bgr` of one array or of a batch."""
    _arrays.needs_colours(np_rgb_imgs, is_hwc, "", "(H, W, C)/(N, H, W, C)/(C ,H, W)/(N, C, H, W)")
    return np.flip(np_rgb_imgs, -1 if is_hwc else -3)


def rgb_to_hsv(np_rgb_img, is_hwc):
    """`RgbToHsv` of one array."""
    return _arrays.RgbToHsv.of_one(np_rgb_img, is_hwc)


def rgb_to_hsvs(np_rgb_imgs, is_hwc):
    """`RgbToHsv` of one array or of a batch."""
    return _in_colour_space(_arrays.RgbToHsv, np_rgb_imgs, is_hwc)


def hsv_to_rgb(np_hsv_img, is_hwc):
    """`HsvToRgb` of one array."""
    return _arrays.HsvToRgb.of_one(np_hsv_img, is_hwc)


def hsv_to_rgbs(np_hsv_imgs, is_hwc):
    """`HsvToRgb` of one array or of a batch."""
    return _in_colour_space(_arrays.HsvToRgb, np_hsv_imgs, is_hwc)


def _in_colour_space(transform, images, is_hwc):
    _arrays.needs_colours(images, is_hwc, transform._end, transform._shapes)
    return transform(is_hwc)._execute_py(images)


# ---- erased, mixed, augmented ------------------------------------------------------------------------------

def get_erase_params(np_img, scale, ratio, value, bounded, max_attempts):
    """(top, left, height, width, what to put there), for `erase` of a (C, H, W) array.

    ``bounded``: the rectangle lies inside the image; else its middle does.
    """
    _needs_array(np_img)
    channels, rows, columns = np_img.shape
    for _ in range(max_attempts):
        area, proportion = random.uniform(*scale) * rows * columns, random.uniform(*ratio)
        width = round(math.sqrt(area * proportion))
        height = round(width / proportion)
        if height >= rows or width >= columns:
            continue
        filling = _erased_to(value, (channels, height, width))
        if bounded:
            top, left = random.randint(0, rows - height), random.randint(0, columns - width)
            return top, left, height, width, filling
        x, y = random.randint(0, columns), random.randint(0, rows)
        left, right = max(x - width // 2, 0), min(x + width // 2, columns)
        top, bottom = max(y - height // 2, 0), min(y + height // 2, rows)
        return top, left, bottom - top, right - left, filling
    return 0, 0, rows, columns, np_img


def _erased_to(value, shape):
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (str, bytes)):
        return np.random.normal(size=shape)
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        raise ValueError("The value for erasing should be either a single value, or a string 'random', or a "
                         "sequence of 3 elements for RGB respectively.")
    return np.ones(shape) * np.reshape(value, (3, 1, 1))


def erase(np_img, i, j, height, width, erase_value, inplace=False):
    """A rectangle of a (C, H, W) array set to a value; ``i`` and ``j`` are its top and left."""
    _needs_array(np_img)
    np_img = np_img if inplace else np_img.copy()
    np_img[:, i:i + height, j:j + width] = erase_value
    return np_img


def mix_up_single(batch_size, img, label, alpha=0.2):
    """Each image of a batch and its one-hot label mixed with the next one's, arrays."""
    return _arrays.MixUp(batch_size, alpha)(img, label)


def mix_up_muti(tmp, batch_size, img, label, alpha=0.2):
    """Each image of a batch and its one-hot label mixed with the batch before, arrays.

    ``tmp`` keeps it: an object with ``is_first``, ``image`` and ``label``.
    """
    mixing = _arrays.MixUp(batch_size, alpha, is_single=False)
    mixing.is_first, mixing.image, mixing.label = tmp.is_first, tmp.image, tmp.label
    mixed = mixing(img, label)
    tmp.is_first, tmp.image, tmp.label = mixing.is_first, mixing.image, mixing.label
    return mixed


def uniform_augment(img, transforms, num_ops):
    """``num_ops`` of the transforms in random order, each with a chance that is drawn."""
    return _policies.UniformAugment(transforms, num_ops)._execute_py(img)
