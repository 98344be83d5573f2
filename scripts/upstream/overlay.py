"""What is laid over the tests: files of theirs that reach into MindSpore's compiled core or its test farm."""

_DEVICE = '''
import os
import mindspore

def set_device():
    mindspore.set_device(get_device())

def get_device():
    return os.environ.get("DEVICE_TARGET", "CPU")

def get_device_id():
    return os.environ.get("DEVICE_ID", "0")
'''

_DATASET = '''
import glob, os, shutil
import pytest

@pytest.fixture
def cleanup_tmp_file(request):
    yield
    wanted = [request.param] if isinstance(request.param, str) else request.param
    for path in [found for pattern in wanted for found in glob.glob(pattern)]:
        os.remove(path)

cleanup_temporary_files = cleanup_tmp_file

@pytest.fixture
def isolate_dir(request):
    place = f"{request.param}_{request.node.originalname}"
    shutil.copytree(request.param, place, dirs_exist_ok=True)
    yield place
    shutil.rmtree(place, ignore_errors=True)
'''

FILES = {
    "pytest.ini": "[pytest]\n",
    "tests/security_utils.py": "def security_off_wrap(function):\n    return function\n",
    "tests/device_utils.py": _DEVICE,
    "tests/ut/python/conftest.py": "",
    "tests/st/pi_jit/conftest.py": "",
    "tests/ut/python/dataset/conftest.py": _DATASET,
    "tests/ut/python/dataset_deprecated/conftest.py": _DATASET,
    "tests/st/dataset/conftest.py": _DATASET,
}
