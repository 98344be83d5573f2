"""The documentation site: what ``scripts/build_site.py`` makes its pages from."""
