"""Speed of rule extraction, decoding and rescoring on parallel/multi30k, English to German.

    python benchmarks/decoder.py --data DATA --work FOLDER [--sentences 200]

Times are CPU seconds of this process, so that other work on the machine counts little. FOLDER keeps the alignment (made by
eflomal the first time) and the grammar. Peers, measured once: cdec decodes 6.5 sentences a CPU second with a grammar of its
own for the same test set, and extracts in 0.13 s a sentence.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

from binyan.ngram.kneser_ney import KneserNey
from binyan.text import Preparation
from binyan.translation import Alignments, Bitext, Decoder, DecoderSettings, Grammar, align
from binyan.translation.bitext import read_words
from binyan.translation.rescoring import Rescorer


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pop-limit", type=int, default=200)
    parser.add_argument("--weights", type=Path, help="weights by name (JSON); default: those tuning starts from")
    parser.add_argument("--neural", type=Path, help="a log-bilinear model, measured as a second feature")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    folder = options.data / "parallel" / "multi30k"
    english, german = (Preparation(tokenise=language, lowercase=True) for language in ("en", "de"))
    bitext = Bitext.read(folder / "train.en.gz", folder / "train.de.gz", english, german)
    test = read_words(folder / "test_2016_flickr.en.gz", english)[: options.sentences]
    links = options.work / "alignment"
    if not links.exists():
        align(bitext.source, bitext.target).write(links)
    alignments = Alignments.read(links)

    figures: dict[str, float] = {"sentences": len(test), "pop_limit": options.pop_limit}
    started = time.process_time()
    grammar = Grammar.extract(bitext, alignments, only_for=test, progress=False)
    figures["extraction_seconds_a_sentence"] = (time.process_time() - started) / len(test)
    figures["rules"] = len(grammar)
    grammar.save(options.work / "grammar")
    figures["grammar_megabytes"] = (options.work / "grammar").stat().st_size / 1e6

    model = KneserNey.train(bitext.target, order=4, progress=False)
    weights = json.loads(options.weights.read_text()) if options.weights else None
    settings = DecoderSettings(pop_limit=options.pop_limit)
    decoder = Decoder(grammar, [model], weights, settings)
    started = time.process_time()
    lists = decoder.k_best(test, 1, progress=False)
    figures["sentences_a_second"] = len(test) / (time.process_time() - started)
    figures["mean_score"] = float(lists.score.mean())
    if options.neural:
        from binyan.language_model import load

        second = {**(weights or {}), "LanguageModel2": 0.5 * decoder.weights["LanguageModel1"]}
        both = Decoder(grammar, [model, load(options.neural)], second, settings)
        started = time.process_time()
        both.k_best(test, 1, progress=False)
        figures["sentences_a_second_with_neural"] = len(test) / (time.process_time() - started)

    hypotheses = decoder.k_best(test[:50], 100, progress=False)
    texts = [" ".join(hypotheses.text(h)) for h in range(len(hypotheses.score))]
    started = time.process_time()
    Rescorer([model]).features(texts)
    figures["rescored_hypotheses_a_second"] = len(texts) / (time.process_time() - started)
    figures["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
