"""`python -m binyan` is the `binyan` command."""

from binyan.cli import main

if __name__ == "__main__":
    main()
