"""Peers are looked for where they are installed, and in the folder that BINYAN_PEERS names (`make peers`)."""

import os
import sys

if os.environ.get("BINYAN_PEERS"):
    sys.path.append(os.environ["BINYAN_PEERS"])
