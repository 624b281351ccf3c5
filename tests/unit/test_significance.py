"""Paired bootstrap: equal systems do not differ, different ones do, missing p-values stay missing."""

import json

import numpy as np
import pytest

pytest.importorskip("sacrebleu")

from binyan.errors import SettingsError
from binyan.evaluation.translation import (
    PairedDifference,
    TranslationReport,
    TranslationScore,
    evaluate_translations,
    paired_bootstrap,
    translation_scores,
    two_sided_p,
)

REFERENCE = [f"das ist der satz nummer {i} mit ein paar wörtern" for i in range(40)]
GOOD = [line.replace("paar", "zwei") if i % 4 == 0 else line for i, line in enumerate(REFERENCE)]
BAD = [" ".join(reversed(line.split())) for line in REFERENCE]


def test_a_system_does_not_differ_from_itself():
    for difference in paired_bootstrap(GOOD, GOOD, [REFERENCE], samples=500):
        assert difference.baseline == difference.system and difference.p_value == 1.0


def test_different_systems_differ():
    for difference in paired_bootstrap(BAD, GOOD, [REFERENCE], samples=300):
        assert difference.system > difference.baseline and difference.p_value == pytest.approx(1 / 301)


def test_scores_and_signatures_are_those_of_sacrebleu():
    paired = paired_bootstrap(BAD, GOOD, [REFERENCE], samples=10)
    scores = translation_scores(GOOD, [REFERENCE])
    assert [p.name for p in paired] == [s.name for s in scores]
    assert [p.system for p in paired] == pytest.approx([s.score for s in scores])
    assert all(f"{s.signature}|bs:10|seed:1" in p.signature for p, s in zip(paired, scores, strict=True))


def test_false_alarms_are_as_rare_as_promised():
    """Two systems that are equally good by construction: p below 0.05 in at most 12 of 100 texts (chance 0.0015 if p is exact)."""
    random = np.random.default_rng(3)
    alarms = 0
    for _ in range(100):
        differences = random.normal(size=200)
        weights = random.multinomial(200, np.full(200, 1 / 200), size=200)
        p = two_sided_p(weights @ differences / 200, differences.mean())
        alarms += p < 0.05
    assert alarms <= 12


def test_a_p_value_that_is_missing_stays_missing():
    assert two_sided_p(np.array([]), 1.0) is None and two_sided_p(np.array([np.nan]), 1.0) is None
    score = TranslationScore("BLEU", 1.0, "s", "BLEU = 1")
    report = TranslationReport((score,), (PairedDifference("BLEU", 1.0, 2.0, None, "s"),))
    assert json.loads(json.dumps(report.to_dict()))["paired"]["BLEU"]["p"] is None
    assert "p = -" in str(report)


def test_no_samples_are_refused():
    with pytest.raises(SettingsError, match="1 sample or more"):
        evaluate_translations(GOOD, [REFERENCE], baseline=BAD, samples=0)
