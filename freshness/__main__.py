"""``python -m freshness``."""

from freshness.cli import main

if __name__ == "__main__":
    main()
