"""The file format itself: bytes, pages, index (``mindspore.mindrecord.core``)."""
