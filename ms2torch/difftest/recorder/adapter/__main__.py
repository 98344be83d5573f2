"""``python adapter ...``: the folder as a package under a name of its own, so that its files shadow none of
the program's. Graph mode looks for a function's globals in the module of its name, and the program takes
``__main__``."""

import importlib.util
import os
import sys


def load():
    """The package that this file is part of."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    spec = importlib.util.spec_from_file_location("ms2torch_adapter", os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])
    package = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return package


if __name__ == "__main__":
    load().main(sys.argv[1:])
