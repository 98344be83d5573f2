"""Videos: read from files and bytes by PyAV (the extra ``video``), with MindSpore's pixels.

MindSpore decodes by FFmpeg too, and makes colours of the planes by FFmpeg's tables, for which the one in PyAV
has other arithmetic.
"""

from __future__ import annotations

import io
import math
import os
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ms2torch._core.errors import unsupported

from ..core import config
from ..core.errors import pipeline_error
from ..core.validator_helpers import check_file, type_check, type_check_list
from ..transforms.operation import OperationError, TensorOperation, calls_through

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]

_END = 2147483647.0                                      # of a video, if none is given


def _library():
    try:
        import av
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("This needs PyAV, to decode videos: pip install ms2torch[video]") from error
    if config.get_video_backend() != "CPU":
        raise unsupported("mindspore.dataset.config.set_video_backend('Ascend')",
                          "there is no such decoder here.", "set_video_backend('CPU').")
    return av


def _container(file, failed: str):
    """A container of streams, of a path or a file; ``failed`` is what is said of one that is none."""
    av = _library()
    try:
        return av.open(file)
    except (av.FFmpegError, ValueError):
        raise pipeline_error(failed) from None


# ---- pixels ------------------------------------------------------------------------------------------------

_RED_OF_V, _BLUE_OF_U, _GREEN_OF_U, _GREEN_OF_V = 104597, 132201, -25675, -53279      # ITU-R BT.601, of 65536
_MARGIN = 512                                            # of luma on either side, which colours move it by


@lru_cache(2)
def _tables(full: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    """FFmpeg's: the byte of a luma that its colours have moved, from -`_MARGIN` on; and by how much the 256
    values of V and U move it for red, of U and V for green, of U for blue. ``full``: luma is 0 to 255, else
    16 to 235.
    """
    gain, black, origin = (65536, 0, 384) if full else (65536 * 255 // 219, 16 << 16, 326)
    weights = [_RED_OF_V, _GREEN_OF_U, _GREEN_OF_V, _BLUE_OF_U]
    if full:
        weights = [int(weight * 224 / 255) for weight in weights]
    moved = np.arange(-_MARGIN, 256 + _MARGIN)
    luma = ((moved + origin) * gain - (384 << 16) - black + 0x8000) >> 16
    moves = []
    for weight in weights:
        step = int(((weight << 16) + 0x8000) / gain)     # C's division, towards zero
        moves.append((np.arange(256) * step >> 16) - (step >> 9))
    return luma.clip(0, 255).astype(np.uint8), moves


def _pixels(frame) -> np.ndarray:
    """(H, W, 3) bytes, RGB, of a frame with a quarter of its luma's size of colours."""
    form = frame.format.name
    if form not in ("yuv420p", "yuvj420p") or frame.height % 2:
        raise unsupported(f"mindspore.dataset.vision.read_video of {form} with {frame.height} lines",
                          "only even numbers of lines of yuv420p are decoded to MindSpore's pixels.",
                          "frame.to_ndarray(format='rgb24') of PyAV, in a function of your own.")
    planes = [np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, :plane.width]
              for plane in frame.planes]
    table, (red, green_u, green_v, blue) = _tables(form == "yuvj420p")
    y, u, v = planes[0].astype(np.intp) + _MARGIN, planes[1], planes[2]
    moves = (red[v], green_u[u] + green_v[v], blue[u])
    found = np.empty((frame.height, frame.width, 3), np.uint8)
    for channel, move in enumerate(moves):
        whole = move.repeat(2, 0).repeat(2, 1)[:frame.height, :frame.width]
        found[..., channel] = table[y + whole]
    return found


# ---- streams -----------------------------------------------------------------------------------------------

def _frames(container, first: float, last: float, unit: str) -> tuple[np.ndarray, int, int]:
    """The frames between two times as an array (T, H, W, 3), the number of the first, and of all."""
    if not container.streams.video:
        return np.empty((0, 1, 1, 3), np.uint8), 0, 0
    stream = container.streams.video[0]
    if unit == "sec":
        rate = 1 / stream.time_base
        first, last = (float(time) * rate.numerator / rate.denominator for time in (first, last))
    first, last = math.floor(first + 0.5), math.floor(last + 0.5)
    chosen, before, count = [], 0, 0
    for frame in container.decode(video=0):
        count += 1
        before += frame.pts < first
        if first <= frame.pts <= last:
            chosen.append(_pixels(frame))
    empty = np.empty((0, stream.height, stream.width, 3), np.uint8)
    return np.stack(chosen) if chosen else empty, before, count


def _samples(container) -> np.ndarray:
    """All of the first stream of sound, (channels, samples), in its own dtype; no stream: (1, 0)."""
    if not container.streams.audio:
        return np.empty((1, 0), np.float32)
    parts = []
    for frame in container.decode(audio=0):
        part, channels = frame.to_ndarray(), frame.layout.nb_channels
        if frame.format.is_packed and channels > 1:
            part = part.reshape(-1, channels).T          # a sample of each channel in turn
        parts.append(part)
    return np.concatenate(parts, 1)


def _read(open_again, first: float, last: float, unit: str) -> tuple[np.ndarray, np.ndarray, dict]:
    """Frames, the share of the sound that they are of the whole video, and rates."""
    told = {}
    with open_again() as container:
        if container.streams.audio:
            told["audio_fps"] = int(container.streams.audio[0].rate)
        if container.streams.video:
            told["video_fps"] = round(float(container.streams.video[0].average_rate), 6)
        frames, before, count = _frames(container, first, last, unit)
    with open_again() as container:
        sound = _samples(container)
    if count:
        start, length = (math.floor(sound.shape[1] * part / count + 0.5) for part in (before, len(frames)))
        sound = sound[:, start:start + length]
    return frames, sound, told


# ---- what programs call ------------------------------------------------------------------------------------

def read_video(filename, start_pts=0, end_pts=None, pts_unit="pts"):
    """(frames, sound, rates) of a video file between two times (``mindspore.dataset.vision.read_video``).

    Frames are (T, H, W, 3) uint8, sound (channels, samples) in the file's dtype, rates a dict of "video_fps"
    and "audio_fps". Times are numbers of ``pts_unit``: "pts", the stream's own, or "sec". Of sound whose
    channels take turns in the file MindSpore 2.10 mixes them up; here each has its own samples.
    """
    _check_name(filename)
    _check_time(start_pts, "start_pts")
    if start_pts < 0:
        raise ValueError(f"Not supported start_pts for {start_pts}. The start_pts should be >= 0.")
    end_pts = _END if end_pts is None else end_pts
    _check_time(end_pts, "end_pts")
    if end_pts < start_pts:
        raise ValueError(f"Not supported end_pts for {end_pts}. start_pts = {start_pts}. The end_pts should "
                         "be >= start_pts.")
    _check_unit(pts_unit)
    if pts_unit not in ("pts", "sec"):
        raise ValueError(f"Not supported pts_unit for {pts_unit}")
    if wrong := _no_file(filename):
        raise ValueError(wrong)
    return _read(lambda: _of_file(filename), float(start_pts), float(end_pts), pts_unit)


def read_video_timestamps(filename, pts_unit="pts"):
    """(the times of all frames, frames a second) of a video file, ([], None) where it has no pictures.

    (``mindspore.dataset.vision.read_video_timestamps``.)
    """
    _check_name(filename)
    _check_unit(pts_unit)
    if wrong := _no_file(filename):
        raise pipeline_error(wrong if filename else "Invalid file path,  does not exist.")
    if pts_unit not in ("pts", "sec"):
        raise pipeline_error(f"ReadVideoTimestamps: Not supported pts_unit for {pts_unit}")
    with _of_file(filename) as container:
        if not container.streams.video:
            return [], None
        stream = container.streams.video[0]
        rate, unit = (float(np.float32(float(part))) for part in (stream.average_rate, stream.time_base))
        times = [frame.pts for frame in container.decode(video=0)]
    return (times if pts_unit == "pts" else [time * unit for time in times]), rate


def _of_file(filename: str):
    if os.path.getsize(filename) == 0:
        raise pipeline_error(f"{filename} has invalid file size 0")
    return _container(filename, f"Failed to open the file {filename}.")


def _check_name(filename) -> None:
    if not isinstance(filename, str):
        raise TypeError(f"Input filename is not of type {str}, but got: {type(filename)}.")


def _check_time(value, name: str) -> None:
    kinds = (float, Fraction, int)
    if not isinstance(value, kinds):
        raise TypeError(f"Input {name} is not of type [{', '.join(map(str, kinds))}], but got: {type(value)}")


def _check_unit(unit) -> None:
    if not isinstance(unit, str):
        raise TypeError(f"Input pts_unit is not of type {str}, but got: {type(unit)}.")


def _no_file(filename: str) -> str:
    """What is wrong with the path of a file."""
    real = os.path.realpath(filename)
    if not os.path.exists(real):
        return f"Invalid file path, {filename} does not exist."
    return "" if os.path.isfile(real) else f"Invalid file path, {filename} is not a regular file."


class DecodeVideo(TensorOperation):
    """The bytes of a video file as frames and sound, as `read_video` gives them.

    (``mindspore.dataset.vision.DecodeVideo``.)
    """

    threads = False

    @calls_through
    def __call__(self, video):
        if not isinstance(video, np.ndarray):
            raise TypeError(f"Input should be ndarray, got {type(video)}.")
        return super().__call__(video)

    def _compute(self, video):
        if video.ndim != 1:
            raise OperationError("DecodeVideo: invalid input shape, only support 1D input, got rank: "
                                 f"{video.ndim}")
        if video.dtype != np.uint8:
            raise OperationError("The type of the elements of input data should be UINT8, but got "
                                 f"{video.dtype}.")
        data = video.tobytes()
        return _read(lambda: _container(io.BytesIO(data), "Failed to open the input."), 0, _END, "pts")[:2]


class VideoDecoder:
    """A video file, to be asked for its ``metadata`` (``mindspore.dataset.vision.VideoDecoder``).

    Frames are decoded by Ascend only, in MindSpore too.
    """

    def __init__(self, source):
        check_file(source)
        self.source = source
        self._metadata = self.metadata

    @property
    def metadata(self) -> dict:
        """Width, height, duration_seconds, num_frames and average_fps."""
        path = os.path.realpath(self.source)
        with _container(path, f"Failed to open the file: {path}") as container:
            stream = container.streams.video[0]
            return {"width": stream.width, "height": stream.height,
                    "duration_seconds": round(float(stream.duration * stream.time_base), 6),
                    "num_frames": stream.frames, "average_fps": float(stream.average_rate)}

    def get_frames_at(self, indices):
        """Raises RuntimeError: it needs an Ascend device."""
        if config.get_video_backend() != "Ascend":
            raise RuntimeError("Method get_frames_at is only supported on Ascend platform.")
        type_check(indices, (list,), "indices")
        type_check_list(indices, (int,), "indices")
        _library()
