"""The thesis's experiments as a declarative list: run, resumed, reported beside the thesis's own figures."""

# name of a study -> its module, which has `experiments()`, `MEASURES` and `sections(results, thesis)`; see `study.Study`.
STUDIES: dict[str, str] = {
    "hpylm": "binyan.experiments.ngram",
    "lbl": "binyan.experiments.lbl",
    "adaptor": "binyan.experiments.adaptor",
    "translation": "binyan.experiments.translation",
}
