"""Makes one model file a kind, of the present format version, and what it gives: `python make_models.py`.

Files of older versions stay as they are.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from binyan.language_model import LanguageModel
from binyan.model_file import FORMAT_VERSION
from binyan.ngram.arpa import ArpaModel
from binyan.ngram.compound import CompoundHPYLM
from binyan.ngram.hpylm import HPYLM
from binyan.ngram.kneser_ney import KneserNey
from binyan.sampling import Schedule
from binyan.segmentation import Segmentation, SegmentationTable

HERE = Path(__file__).parent
TEXT = ["der hund sah den mond", "der mond sah den hund nicht", "der hund schlief"]
COMPOUNDS = ["der hofhund sah den schulhof", "der hund am hof sah den mond", "die schul am mondhof"]
TABLE = SegmentationTable(
    Segmentation.parse(word, parts)
    for word, parts in (
        ("hofhund", "hof hund"),
        ("schulhof", "schul hof"),
        ("mondhof", "mond hof"),
        ("mondhund", "mond hund"),
    )
)
# mondhund is not in the texts, but its parts are; zaun is unknown to all.
SENTENCE = ["der", "hund", "sah", "den", "mondhund", "zaun"]


def keep(model: LanguageModel) -> None:
    """The file, and beside it the scores of a sentence, as natural logarithms."""
    name = f"{model.kind}-{FORMAT_VERSION}"
    model.save(HERE / f"{name}.binyan")
    scores = model.score_sentences([SENTENCE])
    given = {"log_prob": scores.log_prob.tolist(), "matched": scores.matched.tolist()}
    given["unknown"] = scores.unknown.tolist()
    (HERE / f"{name}.json").write_text(json.dumps(given, indent=1) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kneser_ney = KneserNey(3).fit(TEXT)
    keep(kneser_ney)
    arpa = HERE / "made.arpa"
    kneser_ney.to_arpa(arpa)
    keep(ArpaModel.read(arpa))
    arpa.unlink()
    schedule = Schedule(sweeps=8, samples=2, chains=2)
    keep(HPYLM(3, schedule=schedule).fit(TEXT))
    for both_ways in (False, True):
        keep(CompoundHPYLM(3, schedule=schedule, segmentation=TABLE, both_ways=both_ways).fit(COMPOUNDS))
