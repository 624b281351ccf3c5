"""Makes the model files that test_morphology_files.py loads: python tests/golden/morphology/make_models.py FORMAT_VERSION"""

import sys
from pathlib import Path

from binyan.grammar.notation import load_grammar
from binyan.morphology import AdaptorSampler, Settings, WordList, save_sampler

WORDS = ["kitab", "katab", "wakatab", "kutub", "wakitab", "maktab", "malak", "milk", "wamilk"]

if __name__ == "__main__":
    sampler = AdaptorSampler(load_grammar("tpl"), WordList.of(WORDS), Settings(sweeps=6, burn_in=4, snapshots=1))
    sampler.run(progress=False)
    save_sampler(sampler, Path(__file__).parent / f"adaptor-{sys.argv[1]}.binyan")
    segmenter = sampler.freeze()
    print(segmenter.log_probability("wamaktab"), segmenter.segment("wakitab"), [s.trace[-1][0] for s in sampler.states])
