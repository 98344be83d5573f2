"""DatasetCache: rows and their order are what MindSpore 2.10.0 gave with its cache server, and made once."""

import numpy as np
import pytest

import ms2torch.dataset as ds
from ms2torch.dataset import transforms, vision
from ms2torch.mindrecord import FileWriter


@pytest.fixture
def images(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for number in range(6):
        folder = tmp_path / "images" / "ab"[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.random.RandomState(number).randint(0, 255, (4, 5, 3)).astype(np.uint8)
        image.fromarray(pixels).save(folder / f"{number}.png")
    return str(tmp_path / "images")


@pytest.fixture
def lines(tmp_path):
    (tmp_path / "lines").write_text("".join(f"{number}\n" for number in range(12)))
    return str(tmp_path / "lines")


def epochs(dataset, count=3):
    rows = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[[column.tolist() for column in row] for row in rows] for _ in range(count)]


def both(make, seed=5):
    """Three epochs with a cache, and without."""
    found = []
    for cache in (ds.DatasetCache(1), None):
        ds.config.set_seed(seed)
        found.append(epochs(make(cache)))
    return found


@pytest.mark.parametrize("arguments", [{}, {"shuffle": False}, {"num_samples": 3},
                                       {"num_shards": 2, "shard_id": 1},
                                       {"sampler": ds.WeightedRandomSampler([1, 1, 1, 5, 5, 5], 6)}])
def test_sources_by_number_give_the_rows_that_they_give_without_a_cache(images, arguments):
    cached, plain = both(lambda cache: ds.ImageFolderDataset(images, cache=cache, decode=True, **arguments))
    assert cached == plain


def test_maps_and_what_follows(images):
    def make(cache):
        source = ds.ImageFolderDataset(images, decode=True)
        cached = source.map(vision.Resize((3, 3)), ["image"]).map(transforms.Fill(7), ["label"], cache=cache)
        return cached.rename("label", "l").map(vision.RandomCrop((2, 2)), ["image"]).batch(4)

    cached, plain = both(make)
    assert cached == plain


def test_mindrecord_files(tmp_path):
    writer = FileWriter(str(tmp_path / "f"))
    writer.add_schema({"a": {"type": "int32"}})
    writer.write_raw_data([{"a": number} for number in range(8)])
    writer.commit()
    cached, plain = both(lambda cache: ds.MindDataset(str(tmp_path / "f"), cache=cache))
    assert cached == plain == [[[k] for k in order] for order in (
        (1, 3, 7, 0, 5, 6, 2, 4), (3, 2, 6, 4, 1, 7, 5, 0), (1, 7, 2, 6, 5, 0, 4, 3))]


# The rows of a server are numbered by two threads, evens and odds, and these are the numbers.
NUMBERED = {number: place for place, number in enumerate([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])}


@pytest.mark.parametrize("arguments, theirs", [
    ({}, [[4, 0, 9, 7, 4, 8, 11, 11, 10, 2, 3, 8], [9, 11, 6, 4, 7, 0, 0, 8, 2, 11, 3, 2],
          [0, 4, 7, 6, 10, 11, 5, 10, 11, 6, 1, 6]]),
    ({"num_samples": 4}, [[4, 0, 9, 7], [9, 11, 6, 4], [0, 4, 7, 6]]),
    ({"num_shards": 5, "shard_id": 1}, [[9, 1, 3], [7, 1, 11], [0, 5, 10]]),
    ({"num_shards": 5, "shard_id": 1, "shuffle": False}, [[1, 11, 10]] * 3)])
def test_other_sources_are_drawn_from_as_the_server_draws(lines, arguments, theirs):
    ds.config.set_seed(5)
    dataset = ds.TextFileDataset(lines, cache=ds.DatasetCache(1), num_parallel_workers=1, **arguments)
    if "shuffle" in arguments:
        assert epochs(dataset) == [[["1"], ["6"], ["11"]]] * 3                     # row numbers
    else:
        assert epochs(dataset) == [[[str(NUMBERED[number])] for number in epoch] for epoch in theirs]


def test_rows_are_made_once(images, lines):
    seen = []

    def look(x):
        seen.append(1)
        return x

    cache = ds.DatasetCache(1)
    source = ds.ImageFolderDataset(images, decode=True).map(look, ["image"])
    epochs(source.map(transforms.Fill(1), ["label"], cache=cache))
    assert len(seen) == 6 and cache.get_stat().num_mem_cached == 6
    epochs(ds.TextFileDataset(lines).map(look, cache=ds.DatasetCache(1)))
    assert len(seen) == 6 + 12


def test_later_operations_do_not_write_into_the_cache(images):
    def darken(image):
        image[:] = 0
        return image

    cache = ds.DatasetCache(1)
    source = ds.ImageFolderDataset(images, decode=True, shuffle=False, cache=cache).map(darken, ["image"])
    assert epochs(source)[2] == epochs(source)[0]
    kept = ds.ImageFolderDataset(images, decode=True, shuffle=False, cache=cache)
    assert sum(row[0].sum() for row in kept.create_tuple_iterator(num_epochs=1, output_numpy=True)) > 0


def test_what_is_random_below_is_drawn_once(images):
    source = ds.ImageFolderDataset(
    images, decode=True, shuffle=False).map(
        vision.RandomCrop(
            (2, 2)), ["image"])
    first, second, third = epochs(source.map(transforms.Fill(1), ["label"], cache=ds.DatasetCache(1)))
    assert first == second == third


def test_a_limit(tmp_path, images, lines):
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "big" / "a").mkdir(parents=True)
    for number in range(4):
        image.fromarray(
    np.full(
        (400, 500, 3), number, np.uint8)).save(
            tmp_path / "big" / "a" / f"{number}.png")
    cache = ds.DatasetCache(1, size=1)
    rows = epochs(ds.ImageFolderDataset(str(tmp_path / "big"), decode=True, shuffle=False, cache=cache), 2)
    assert rows[0] == rows[1] and len(rows[0]) == 4
    stat = cache.get_stat()
    assert stat.num_mem_cached == 1 and stat.avg_cache_sz == 600_004 and stat.num_disk_cached == 0
    (tmp_path / "long").write_text("".join(f"{number}" * 100_000 + "\n" for number in range(9)))
    with pytest.raises(RuntimeError, match="No enough storage for cache server to cache data"):
        epochs(ds.TextFileDataset(str(tmp_path / "long"), cache=ds.DatasetCache(1, size=1)))
    assert len(epochs(ds.TextFileDataset(str(tmp_path / "long"), cache=ds.DatasetCache(1, 1, True)))[0]) == 9


def test_one_cache_for_one_pipeline(images, lines):
    cache = ds.DatasetCache(1)
    epochs(ds.ImageFolderDataset(images, cache=cache), 1)
    assert len(epochs(ds.ImageFolderDataset(images, cache=cache), 1)[0]) == 6
    for other in (ds.ImageFolderDataset(images, decode=True, cache=cache),
                  ds.TextFileDataset(lines, cache=cache)):
        with pytest.raises(RuntimeError, match="Cannot re-use a cache for a different tree!"):
            epochs(other)


def test_splits_share_a_cache(images):
    cache = ds.DatasetCache(1)
    parts = ds.ImageFolderDataset(images, decode=True, cache=cache).split([2, 4])
    rows = [row for part in parts for row in epochs(part, 1)[0]]
    plain = epochs(ds.ImageFolderDataset(images, decode=True), 1)[0]
    assert sorted(rows) == sorted(plain) and cache.get_stat().num_mem_cached == 6
