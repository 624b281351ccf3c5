"""Structure-aware fuzzing of every reader: `make fuzz SECONDS=60`, or `python -m fuzz --help` from the folder `tests`."""
