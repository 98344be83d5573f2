"""``python -m ms2torch``."""

from ms2torch.cli import main

if __name__ == "__main__":
    main()
