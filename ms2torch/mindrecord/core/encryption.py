"""Encrypted MindRecord files: blocks, each after its length (int32, the high byte first), an empty one, the
mode's seven letters and ``ENCRYPT``. The index beside a file is encrypted in the same way.

What a program's own function wrote stands in the blocks' place. To be read, files are decrypted into a folder
of their own in ``.decrypt_mindrecord`` beside them, which goes with its reader.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import suppress

from ms2torch.train import _encryption

from .. import config
from .pages import check_exists

_END = b"ENCRYPT"
_OWN = b"UDF-ENC"                                    # in a mode's place: a function of the program
_BLOCK = 64 << 20
_FOLDER = ".decrypt_mindrecord"


def settle(made: str, place: str) -> None:
    """Put a finished file in its place, encrypted where a key is set; it may be there already."""
    key, mode = config._get_enc_key(), config._get_enc_mode()
    if key is None:
        if made != place:
            os.replace(made, place)
        return
    target = place + ".encrypt"
    try:
        with open(made, "rb") as plain, open(target, "wb") as file:
            if callable(mode):
                mode(plain, os.path.getsize(made), file, key)
            else:
                for part in iter(lambda: plain.read(_BLOCK), b""):
                    block = b"".join(_encryption.encrypted(part, _bytes(key), mode))
                    file.write(len(block).to_bytes(4, "big") + block)
            file.write(bytes(4) + (_OWN if callable(mode) else mode.encode()) + _END)
    except BaseException:
        with suppress(FileNotFoundError):            # the disk may have refused it
            os.remove(target)
        raise
    os.replace(target, place)
    if made != place:
        os.remove(made)


class Plain:
    """Files that can be read: ``files`` is the name, or the list of names, of them or of their decryptions.

    RuntimeError for files that are missing, or encrypted otherwise than is set.
    """

    def __init__(self, file_name):
        self._folders: list[str] = []
        weakref.finalize(self, _remove, self._folders, os.getpid())
        names = file_name if isinstance(file_name, list) else [file_name]
        try:
            names = [self._opened(name) for name in names]
        except BaseException:
            self.close()
            raise
        self.files = names if isinstance(file_name, list) else names[0]

    def _opened(self, path: str) -> str:
        key, folder = config._get_enc_key(), None
        for source in (path, path + ".db"):
            check_exists(source)
            if _is_encrypted(source) != (key is not None):
                raise RuntimeError(_OTHERWISE[key is None])
            if key is not None:
                folder = folder or self._folder(path)
                _decrypt(source, os.path.join(folder, os.path.basename(source)), key)
        return path if folder is None else os.path.join(folder, os.path.basename(path))

    def _folder(self, path: str) -> str:
        above = os.path.join(os.path.dirname(os.path.realpath(path)), _FOLDER)
        os.makedirs(above, mode=0o700, exist_ok=True)
        self._folders.append(tempfile.mkdtemp(dir=above))
        return self._folders[-1]

    def close(self) -> None:
        """Remove what was decrypted."""
        _remove(self._folders, os.getpid())
        self._folders.clear()


_OTHERWISE = ("The mindrecord file is not encrypted. You can set 'mindspore.mindrecord.config.set_enc_key("
              "None)' to disable the decryption.",
              "The mindrecord file is encrypted. You need to configure 'mindspore.mindrecord.config."
              "set_enc_key(...)' and 'mindspore.mindrecord.config.set_enc_mode(...)' for decryption.")


def _remove(folders: list[str], owner: int) -> None:
    if owner != os.getpid():                         # a fork's copy; the files are its parent's
        return
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):                      # others are read as well
            os.rmdir(os.path.dirname(folder))


def _bytes(key: str) -> bytes:
    """As many bytes as the key has letters, which is what MindSpore takes of it."""
    return key.encode()[:len(key)]


def _is_encrypted(path: str) -> bool:
    with open(path, "rb") as file:
        file.seek(-min(len(_END), os.path.getsize(path)), os.SEEK_END)
        return file.read() == _END


def _decrypt(source: str, target: str, key: str) -> None:
    wrong = RuntimeError("Failed to decrypt data, please check if enc_key and enc_mode / dec_mode is valid.")
    end, mode = os.path.getsize(source) - len(_END), config._get_dec_mode()
    with open(source, "rb") as file, open(target, "wb+") as plain:
        file.seek(max(end - len(_OWN), 0))
        if file.read(len(_OWN)) != (_OWN if callable(mode) else mode.encode()):
            raise wrong
        file.seek(0)
        if callable(mode):
            mode(file, end, plain, key)
        else:
            for block in _blocks(file, source, end - len(_OWN)):
                try:
                    plain.write(_encryption.decrypted(block, _bytes(key), mode))
                except _encryption.Undecipherable:
                    raise wrong from None
    os.chmod(target, 0o600)


def _blocks(file, path: str, end: int):
    """The blocks of an open file, whose last, empty one lies before ``end``; RuntimeError if one does not."""
    while True:
        at = file.tell()
        head = file.read(4)
        if len(head) < 4:
            raise RuntimeError(f"Invalid encrypted block length in file: {path} at offset: {at}.")
        length = int.from_bytes(head, "big", signed=True)
        if length == 0:
            return
        if not 0 < length <= end - at - 8:
            raise RuntimeError(f"Invalid encrypted block length {length} in file: {path} at offset: {at}.")
        yield file.read(length)
