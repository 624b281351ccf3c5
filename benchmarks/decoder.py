"""Speed of rule extraction, decoding and rescoring on parallel/multi30k, English to German, beside cdec.

    python benchmarks/decoder.py --data DATA --work FOLDER [--sentences 100] [--cdec PATH] [--cdec-extractor FOLDER] [--neural MODEL]

Times are CPU seconds of the process that works, so that other work on the machine counts little. FOLDER keeps the alignment
(made by eflomal the first time) and the grammar. cdec gets the same rules as text, the same weights and the same language
model as ARPA; its time is that of all sentences less that of one, so that reading its files does not count. cdec's extractor
gets the same bitext and alignment; it writes a text grammar a sentence, with its own limits (span 15, 300 samples).
Each of `--models`, which may have an open or extended vocabulary, is measured in the place of Kneser-Ney.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from binyan.language_model import load
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation import (
    Alignments,
    Bitext,
    BitextSettings,
    Decoder,
    DecoderSettings,
    align,
    extract_rules,
    write_rules,
)
from binyan.translation.bitext import read_words
from binyan.translation.rescoring import Rescorer

# cdec passes every word through if it is let (ours: only those without a rule), and has no count of rules.
SHARED_WEIGHTS = {"PassThrough": -20.0, "Rules": 0.0}
# How cdec names these features, and what it counts where we count 1: its language models are in logarithms to base 10.
CDEC_FEATURES = {
    "Words": ("WordPenalty", -1 / math.log(10)),
    "LanguageModel1": ("LanguageModel", 1 / math.log(10)),
    "Unknown1": ("LanguageModel_OOV", 1.0),
}


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--pop-limit", type=int, default=200)
    parser.add_argument("--neural", type=Path, help="a log-bilinear model, measured as a second feature")
    parser.add_argument("--models", type=Path, nargs="+", default=[], help="each measured in the place of Kneser-Ney")
    parser.add_argument("--cdec", type=Path, help="the cdec program to compare with")
    parser.add_argument("--cdec-extractor", type=Path, help="the folder of cdec's sacompile and extract")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    folder = options.data / "parallel" / "multi30k"
    prepared = BitextSettings(source_language="en", target_language="de", lowercase=True)
    bitext = Bitext.read(folder / "train.en.gz", folder / "train.de.gz", prepared)
    test = read_words(folder / "test_2016_flickr.en.gz", prepared.source)[: options.sentences]
    links = options.work / "alignment"
    if not links.exists():
        align(bitext.source, bitext.target).write(links)
    alignments = Alignments.read(links)

    figures: dict[str, Any] = {"sentences": len(test), "pop_limit": options.pop_limit}
    started = time.process_time()
    grammar = extract_rules(bitext, alignments, only_for=test, progress=False)
    figures["extraction_seconds"] = time.process_time() - started
    figures["extraction_seconds_a_sentence"] = figures["extraction_seconds"] / len(test)
    figures["rules"] = len(grammar)
    grammar.save(options.work / "grammar")
    figures["grammar_megabytes"] = (options.work / "grammar").stat().st_size / 1e6

    if options.cdec_extractor:
        figures["cdec_extractor"] = _cdec_extractor(options.cdec_extractor, options.work, bitext, links, test)
        figures["times_as_fast_as_cdec_extractor"] = (
            figures["cdec_extractor"]["seconds"] / figures["extraction_seconds"]
        )

    model = KneserNey(order=4).fit(bitext.target, progress=False)
    settings = DecoderSettings(pop_limit=options.pop_limit)
    decoder = Decoder(grammar, [model], SHARED_WEIGHTS, settings)
    seconds, lists = _timed(decoder, test)
    figures["sentences_a_second"] = len(test) / seconds
    figures["mean_score"] = float(lists.score.mean())
    if options.cdec:
        figures["cdec"] = _cdec(options.cdec, options.work, decoder, model, test, lists)
        figures["times_as_fast_as_cdec"] = figures["sentences_a_second"] / figures["cdec"]["sentences_a_second"]
    if options.neural:
        second = {**SHARED_WEIGHTS, "LanguageModel1": 0.25, "LanguageModel2": 0.25}
        seconds, _ = _timed(Decoder(grammar, [model, load(options.neural)], second, settings), test)
        figures["sentences_a_second_with_neural"] = len(test) / seconds
        figures["times_slower_with_neural"] = figures["sentences_a_second"] * seconds / len(test)

    for path in options.models:
        seconds, _ = _timed(Decoder(grammar, [load(path)], SHARED_WEIGHTS, settings), test)
        figures[f"times_slower_with_{path.stem}"] = figures["sentences_a_second"] * seconds / len(test)

    hypotheses = decoder.k_best(test[:50], 100, progress=False)
    texts = [" ".join(hypotheses.text(h)) for h in range(len(hypotheses.score))]
    for name, scorer in (("mkn", model), *([("neural", load(options.neural))] if options.neural else [])):
        started = time.process_time()
        Rescorer([scorer]).features(texts)
        figures[f"rescored_hypotheses_a_second_{name}"] = len(texts) / (time.process_time() - started)
    figures["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures, indent=1))


def _timed(decoder: Decoder, test: list[list[str]]) -> tuple[float, Any]:
    started = time.process_time()
    lists = decoder.k_best(test, 1, progress=False)
    return time.process_time() - started, lists


def _cdec(
    program: Path, work: Path, decoder: Decoder, model: KneserNey, test: list[list[str]], ours: Any
) -> dict[str, float]:
    """Speed of cdec, and how its best translations and their scores compare with ours."""
    write_rules(decoder.rules, work / "cdec.grammar")
    model.to_arpa(work / "cdec.arpa")
    named = [(*CDEC_FEATURES.get(name, (name, 1.0)), w) for name, w in decoder.weights.items() if name != "Rules"]
    (work / "cdec.weights").write_text("".join(f"{name} {w / unit}\n" for name, unit, w in named))
    command = [
        *(str(program), "--formalism", "scfg", "--grammar", str(work / "cdec.grammar")),
        *("--feature_function", "WordPenalty", "--feature_function", f"KLanguageModel {work / 'cdec.arpa'}"),
        *("--weights", str(work / "cdec.weights"), "--add_pass_through_rules", "--k_best", "1"),
        *("--cubepruning_pop_limit", str(decoder.settings.pop_limit)),
        *("--scfg_max_span_limit", str(decoder.settings.max_span), "--quiet"),
    ]
    alone, _ = _run(command, test[:1])
    seconds, output = _run(command, test)
    best = {int(line.split(" ||| ")[0]): line.split(" ||| ") for line in output.splitlines() if " ||| " in line}
    same = [h for h, i in enumerate(ours.sentence) if best[int(i)][1] == " ".join(ours.text(h))]
    apart = [abs(float(best[int(ours.sentence[h])][3]) - ours.score[h]) for h in same]
    scores = [float(best[int(i)][3]) for i in ours.sentence]
    return {
        "sentences_a_second": (len(test) - 1) / (seconds - alone),
        "seconds_to_read_files": alone,
        "mean_score": float(np.mean(scores)),
        "same_translations": len(same),
        "largest_difference_of_their_scores": max(apart, default=0.0),
        "ours_scores_higher": int(np.sum(ours.score > np.array(scores) + 1e-3)),
        "cdec_scores_higher": int(np.sum(ours.score < np.array(scores) - 1e-3)),
    }


def _cdec_extractor(programs: Path, work: Path, bitext: Bitext, links: Path, test: list[list[str]]) -> dict[str, float]:
    """Seconds to index the bitext and extract the rules of the sentences, and the size of what is written."""
    text = "".join(f"{' '.join(s)} ||| {' '.join(t)}\n" for s, t in zip(bitext.source, bitext.target, strict=True))
    (work / "cdec.bitext").write_text(text)
    arrays, settings, grammars = work / "cdec.arrays", work / "cdec.ini", work / "cdec.grammars"
    shutil.rmtree(grammars, ignore_errors=True)
    compile = [str(programs / "sacompile"), "-b", str(work / "cdec.bitext"), "-a", str(links)]
    indexing, _ = _run([*compile, "-c", str(settings), "-o", str(arrays)], [])
    extract = [str(programs / "extract"), "-c", str(settings), "-g", str(grammars), "-t", "1"]
    extracting, _ = _run(extract, test)
    written = sum(path.stat().st_size for path in grammars.iterdir())
    return {"seconds": indexing + extracting, "of_these_indexing": indexing, "grammar_megabytes": written / 1e6}


def _run(command: list[str], sentences: list[list[str]]) -> tuple[float, str]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = "".join(" ".join(s) + "\n" for s in sentences)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


if __name__ == "__main__":
    main()
