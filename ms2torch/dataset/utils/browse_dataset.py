"""Pictures with boxes, classes and masks drawn in (``mindspore.dataset.utils.browse_dataset``)."""

from __future__ import annotations

import os
import sys

import numpy as np

__all__ = ["imshow_det_bbox"]

_ESCAPE = 27                                             # the key's code


def imshow_det_bbox(image, bboxes, labels, segm=None, class_names=None, score_threshold=0,
                    bbox_color=(0, 255, 0), text_color=(203, 192, 255), mask_color=(128, 0, 128), thickness=2,
                    font_size=0.8, show=True, win_name="win", wait_time=2000, out_file=None):
    """Draw boxes with the names of their classes, and masks, into an RGB image; needs OpenCV.

    ``image`` is (H, W, 3) or (3, H, W), ``bboxes`` (N, 4) of x, y, width, height, or (N, 5) with a score,
    ``labels`` (N, 1), ``segm`` (M, H, W). Colours are (blue, green, red), and so is the (H, W, 3) array that
    comes back. ``show`` opens a window for ``wait_time`` milliseconds, where Escape ends the program;
    ``out_file`` writes the picture. Wrong arguments are an AssertionError.
    (``mindspore.dataset.utils.imshow_det_bbox``.)
    """
    try:
        import cv2
    except ModuleNotFoundError:
        raise ImportError("Importing cv2 failed, try to install it by running `pip install "
                          "opencv-python`.") from None
    _check_picture(image, bboxes, labels, segm)
    _check_style(class_names, bbox_color, text_color, mask_color, thickness, font_size)
    _check_output(show, win_name, wait_time, out_file)
    if score_threshold > 0:
        _claim(bboxes.shape[1] == 5, "")
    _claim(show or out_file is not None, "")

    if image.shape[0] == 3:
        image = image.transpose(1, 2, 0)
    drawn = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
    masks = () if segm is None else segm.astype(bool)
    if bboxes is None:
        for mask in masks:
            _tint(drawn, mask, mask_color)
    else:
        for i, box in enumerate(bboxes):
            scored = len(box) > 4
            if scored and box[4] < score_threshold:
                continue
            left, top, right, bottom = (int(x) for x in (box[0], box[1], box[0] + box[2], box[1] + box[3]))
            cv2.rectangle(drawn, (left, top), (right, bottom), bbox_color, thickness)
            name = _name(class_names, labels[i][0]) + (f"|{box[4]:.02f}" if scored else "")
            cv2.putText(drawn, name, (left, bottom), cv2.FONT_HERSHEY_SIMPLEX, font_size, text_color,
                        thickness)
            if segm is not None:
                _tint(drawn, masks[i], mask_color)
    if show:
        cv2.imshow(win_name, drawn)
        if cv2.waitKey(wait_time) == _ESCAPE:
            sys.exit()
    if out_file:
        cv2.imwrite(out_file, drawn)
        os.chmod(out_file, 0o600)
    return drawn


def _name(class_names, label) -> str:
    try:
        return str(class_names[label])
    except (IndexError, KeyError):
        return f"class {label}"


def _tint(picture: np.ndarray, mask: np.ndarray, colour: tuple) -> None:
    """Half of the colour where the mask is true."""
    picture[mask] = picture[mask] * 0.5 + np.array(colour) * 0.5


def _claim(true, words: str) -> None:
    if not true:
        raise AssertionError(words)


def _is_array(value, axes: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == axes


def _check_picture(image, bboxes, labels, segm) -> None:
    _claim(_is_array(image, 3) and 3 in (image.shape[0], image.shape[2]),
           "image must be a ndarray in (H, W, C) or (C, H, W) format.")
    if bboxes is not None:
        _claim(_is_array(bboxes, 2) and bboxes.shape[1] in (4, 5),
               "bboxes must be a ndarray in (N, 4) or (N, 5) format.")
        _claim(_is_array(labels, 2) and labels.shape == (len(bboxes), 1),
               "labels must be a ndarray in (N, 1) format and has same N with bboxes.")
    if segm is not None:
        _claim(_is_array(segm, 3), "segm must be a ndarray in (M, H, W) format.")
        size = image.shape[:2] if image.shape[2] == 3 else image.shape[1:]
        _claim(segm.shape[1:] == size, "segm must has same height and width with image.")
        _claim(bboxes is None or len(bboxes) <= len(segm),
               "number of segm masks must not be less than the number of bboxes.")


def _check_style(class_names, bbox_color, text_color, mask_color, thickness, font_size) -> None:
    _claim(isinstance(class_names, (tuple, list, dict)), "class_names must be a list, tuple or dict.")
    for name, colour in (("bbox", bbox_color), ("text", text_color), ("mask", mask_color)):
        _claim(isinstance(colour, tuple) and len(colour) == 3,
               f"{name}_color must be a three tuple, formatted (B, G, R).")
    _claim(isinstance(thickness, int), "thickness must be an int.")
    _claim(thickness >= 0, "thickness must be larger than or equal to zero.")
    _claim(isinstance(font_size, (int, float)), "font_size must be an int or float.")
    _claim(font_size >= 0, "font_size must be larger than or equal to zero.")


def _check_output(show, win_name, wait_time, out_file) -> None:
    _claim(isinstance(show, bool), "show must be a bool.")
    _claim(isinstance(win_name, str), "win_name must be a str.")
    _claim(isinstance(wait_time, int), "wait_time must be an int.")
    _claim(wait_time >= 0, "wait_time must be larger than or equal to zero.")
    _claim(out_file is None or isinstance(out_file, str), "out_file must be a str.")
