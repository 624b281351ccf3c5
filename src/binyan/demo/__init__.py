"""`binyan demo`: all families of models shown on embedded data."""
