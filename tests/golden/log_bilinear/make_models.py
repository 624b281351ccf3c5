"""Makes the model files that are missing, of the present format version, and their scores: `python make_models.py`."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from binyan.log_bilinear import LogBilinear
from binyan.mixture import Mixture
from binyan.model_file import FORMAT_VERSION
from binyan.ngram.kneser_ney import KneserNey
from binyan.segmentation import Segmentation, SegmentationTable

HERE = Path(__file__).parent
STEMS, SUFFIXES = ("haus", "hof", "geh"), ("en", "st")
TEXT = [[a + x, b + x, c + y] for a in STEMS for b in STEMS for c in STEMS for x in SUFFIXES for y in SUFFIXES]
SENTENCES = [["hausen", "hofst", "zaunen", "gehst"], ["nirgends", "gehen"]]

if __name__ == "__main__":
    torch.set_num_threads(1)
    table = SegmentationTable(Segmentation.parse(s + e, f"{s}/STM {e}/SUF") for s in (*STEMS, "zaun") for e in SUFFIXES)
    settings = {"order": 3, "dim": 4, "epochs": 2, "batch": 20, "patience": 2, "noise_samples": 5}
    closed = {
        name: LogBilinear(name, classes=classes, word_map=table, **settings).fit(TEXT, TEXT, progress=False)
        for name, classes in (("clbl++", 3), ("nlbl+c", None))
    }
    models = {
        **closed,
        "clbl++extended": closed["clbl++"].extended(),
        "mixture": Mixture(list(closed.values()), [0.4, 0.6]),
        "mixture-by-context": Mixture([KneserNey(3).fit(TEXT), closed["clbl++"]], by_context=True).fit(SENTENCES),
    }
    for name, model in models.items():
        path = HERE / f"{name}-{FORMAT_VERSION}.binyan"
        if path.exists():
            continue
        model.save(path)
        path.with_suffix(".json").write_text(json.dumps(model.score_sentences(SENTENCES).log_prob.tolist()) + "\n")
