"""Makes the model files that test_morphology_files.py loads.

python tests/golden/morphology/make_models.py FORMAT_VERSION
"""

import sys
from pathlib import Path

from binyan.morphology import Morphology

WORDS = ["kitab", "katab", "wakatab", "kutub", "wakitab", "maktab", "malak", "milk", "wamilk"]

if __name__ == "__main__":
    morphology = Morphology("tpl", sweeps=6, burn_in=4, chains=1, snapshots=1).fit(WORDS, progress=False)
    morphology.save(Path(__file__).parent / f"adaptor-{sys.argv[1]}.binyan")
    segmentations = morphology.segmentations("wakitab")
    print(morphology.log_probability("wamaktab"), segmentations, [trace[-1][0] for trace in morphology.trace])
