"""Makes one model file a kind, of the present format version: `python make_models.py`. Files of older versions stay as they are."""

from __future__ import annotations

import warnings
from pathlib import Path

from binyan.model_file import FORMAT_VERSION
from binyan.ngram.arpa import ArpaModel, write_arpa
from binyan.ngram.kneser_ney import KneserNey

HERE = Path(__file__).parent
TEXT = ["der hund sah den mond", "der mond sah den hund nicht", "der hund schlief"]

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    model = KneserNey.train(TEXT, 3)
    model.save(HERE / f"mkn-{FORMAT_VERSION}.binyan")
    arpa = HERE / "made.arpa"
    write_arpa(model, arpa)
    ArpaModel.read(arpa).save(HERE / f"arpa-{FORMAT_VERSION}.binyan")
    arpa.unlink()
