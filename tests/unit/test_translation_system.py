"""From text to translations by the commands, and all the bad input they meet."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

import binyan
from binyan.cli import app
from binyan.errors import BinyanError, InputError, SettingsError
from binyan.ngram.kneser_ney import KneserNey
from binyan.translation import Decoder, DecoderSettings, RuleTable, TranslationSettings, Translator, TuningSettings

WORDS = {"the": "das", "a": "ein", "house": "haus", "dog": "hund", "sees": "sieht", "green": "grüne", "old": "alte"}
SOURCE = [
    f"{d} {adj} {n} sees {e} {m}"
    for d in ("the", "a")
    for adj in ("green", "old")
    for n in ("house", "dog")
    for e in ("the", "a")
    for m in ("house", "dog")
]
TARGET = [" ".join(WORDS[w] for w in s.split()) for s in SOURCE]
LINKS = ["0-0 1-1 2-2 3-3 4-4 5-5"] * len(SOURCE)


def run(*arguments, text=None):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=text)
    if isinstance(result.exception, BinyanError):
        raise result.exception
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("system")
    for name, lines in (("en", SOURCE), ("de", TARGET), ("links", LINKS)):
        (place / name).write_text("\n".join(lines) + "\n")
    run(
        "mt",
        "train",
        "--source",
        place / "en",
        "--target",
        place / "de",
        "--alignment",
        place / "links",
        "--out",
        place / "mt",
        "--order",
        "3",
    )
    return place


def test_train_tune_translate_evaluate(folder):
    dev = ["the old dog sees a green house", "a house sees the dog"]
    right = ["das alte hund sieht ein grüne haus", "ein haus sieht das hund"]
    (folder / "dev.en").write_text("\n".join(dev) + "\n")
    (folder / "dev.de").write_text("\n".join(right) + "\n")
    tuned = json.loads(
        run(
            "mt",
            "tune",
            folder / "mt",
            "--source",
            folder / "dev.en",
            "--reference",
            folder / "dev.de",
            "--rounds",
            2,
            "--repetitions",
            2,
            "--json",
        )
    )
    assert len(tuned["bleu"]) == 2 and "bitext:" in tuned["signature"]
    output = run("mt", "translate", folder / "mt", text="\n".join([dev[0], "", "the zebra sees the dog"]) + "\n")
    assert output == f"{right[0]}\n\ndas zebra sieht das hund\n"
    assert output == run(
        "mt",
        "translate",
        folder / "mt",
        "--threads",
        "2",
        text="\n".join([dev[0], "", "the zebra sees the dog"]) + "\n",
    )
    assert right[0] in run("mt", "translate", folder / "mt", "--consensus", 20, text=dev[0] + "\n")
    (folder / "out.de").write_text("\n".join(right) + "\n")
    pytest.importorskip("sacrebleu")
    (folder / "compounds.tsv").write_text("hund\thu nd\n")
    figures = json.loads(
        run(
            "mt",
            "evaluate",
            "--hypothesis",
            folder / "out.de",
            "--baseline",
            folder / "dev.de",
            "--reference",
            folder / "dev.de",
            "--compounds",
            folder / "compounds.tsv",
            "--samples",
            20,
            "--json",
        )
    )
    assert figures["BLEU"]["score"] == pytest.approx(100) and "version:" in figures["BLEU"]["signature"]
    assert figures["compounds"]["system"] | {"hypothesised": 2, "reference": 2} == figures["compounds"]["system"]
    assert figures["compounds"]["system"]["f"] == 1.0


def test_nbest_lists_can_be_rescored(folder):
    nbest = run("mt", "translate", folder / "mt", "--nbest", 5, text="the old dog sees a house\n")
    assert 1 <= len(nbest.splitlines()) <= 5 and nbest.startswith(
        "0 ||| das alte hund sieht ein haus ||| TargetGivenSource= "
    )
    again = run("rescore", "--lm", folder / "mt" / "language_model.binyan", text=nbest)
    assert len(again.splitlines()) == len(nbest.splitlines()) and "LanguageModel1'= " in again


def test_training_again_keeps_what_is_there(folder):
    before = {p.name: p.stat().st_mtime_ns for p in (folder / "mt").glob("*.binyan")}
    same = [
        "mt",
        "train",
        "--source",
        folder / "en",
        "--target",
        folder / "de",
        "--alignment",
        folder / "links",
        "--out",
        folder / "mt",
    ]
    run(*same, "--order", "3")
    assert before == {p.name: p.stat().st_mtime_ns for p in (folder / "mt").glob("*.binyan")}
    with pytest.raises(BinyanError, match="other settings"):
        run(*same, "--order", "2")


def test_unequal_numbers_of_lines(folder):
    (folder / "short.de").write_text("das haus\n")
    with pytest.raises(InputError, match=r"en has 32 lines, .*short.de has 1"):
        run(
            "mt",
            "extract",
            "--source",
            folder / "en",
            "--target",
            folder / "short.de",
            "--alignment",
            folder / "links",
            "--out",
            folder / "g",
        )
    with pytest.raises(InputError, match="1 lines|1:"):
        run("mt", "tune", folder / "mt", "--source", folder / "en", "--reference", folder / "short.de")
    pytest.importorskip("sacrebleu")
    with pytest.raises(InputError, match="32 hypotheses and 1 references"):
        run("mt", "evaluate", "--hypothesis", folder / "de", "--reference", folder / "short.de")


def test_empty_sentences_align(folder):
    pytest.importorskip("eflomal")
    (folder / "gaps.en").write_text("\n".join(["", *SOURCE, ""]) + "\n")
    (folder / "gaps.de").write_text("\n".join(["das", *TARGET, ""]) + "\n")
    run("mt", "align", "--source", folder / "gaps.en", "--target", folder / "gaps.de", "--out", folder / "gaps.links")
    lines = (folder / "gaps.links").read_text().split("\n")
    assert lines[0] == "" and len(lines) == len(SOURCE) + 3 and "0-0" in lines[1]


def test_a_bitext_is_aligned_several_times(folder):
    pytest.importorskip("eflomal")
    train = ["mt", "train", "--source", folder / "en", "--target", folder / "de", "--out", folder / "twice"]
    run(*train, "--alignments", "2", "--order", "3")
    system = Translator.load(folder / "twice")
    assert sorted(p.name for p in system.folder.glob("alignment*")) == ["alignment-1", "alignment-2"]
    assert "alignments:2" in str(system.signature())
    files = [x for n in (1, 2) for x in ("--alignment", folder / "twice" / f"alignment-{n}")]
    run("mt", "extract", "--source", folder / "en", "--target", folder / "de", *files, "--out", folder / "again")
    features = [[tuple(r.features) for r in g.rules()] for g in (system.rules, RuleTable.load(folder / "again"))]
    assert features[0] == features[1]


def test_a_long_sentence_is_bounded(folder):
    """500 words: time grows with the length alone, because rules cover ten words and glue the rest."""
    decoder = Translator.load(folder / "mt").decoder()
    sentence = (SOURCE[5].split() * 90)[:500]
    started = time.process_time()
    graph = decoder.hypergraph(sentence)
    assert time.process_time() - started < 60
    assert graph.nodes <= (500 * 10 + 500) * 200 + 1 and graph.edges <= graph.nodes + (500 * 10 + 500) * 200
    assert len(run("mt", "translate", folder / "mt", text=" ".join(sentence) + "\n").split()) == 500
    assert all(graph.node(n)[1] - graph.node(n)[0] <= 10 or graph.node(n)[0] == 0 for n in range(graph.nodes))


def test_threads_do_not_change_the_output(folder):
    decoder = Translator.load(folder / "mt").decoder()
    text = [s.split() for s in SOURCE] + [[], ["a", "zebra", "sees", "a", "dog"]]
    one, two = decoder.k_best(text, 20), decoder.k_best(text, 20, threads=2)
    assert (one.sentence == two.sentence).all() and (one.score == two.score).all() and (one.words == two.words).all()
    assert (one.features == two.features).all()


def test_a_language_model_of_something_else(folder, tmp_path):
    many = [f"[X] ||| w{i} ||| v{i} ||| f=1" for i in range(30)]
    (tmp_path / "g").write_text("\n".join(many))
    (tmp_path / "w.json").write_text('{"weights": {"f": 1}}')
    own = ["--grammar", tmp_path / "g", "--grammar-format", "cdec", "--weights", tmp_path / "w.json"]
    with pytest.raises(InputError, match="language model 1 knows 0 of the 30 words"):
        run("mt", "translate", folder / "mt", *own, text="a\n")


def test_a_broken_line_of_a_grammar_is_named(folder, tmp_path):
    (tmp_path / "g").write_text("[X] ||| a ||| ein ||| f=1\n[X] ||| the ||| das ||| f=much\n")
    with pytest.raises(InputError, match=r"g:2: 'much' is not a number"):
        run("mt", "translate", folder / "mt", "--grammar", tmp_path / "g", "--grammar-format", "cdec", text="a\n")


def test_weights_are_checked(folder, tmp_path):
    (tmp_path / "w.json").write_text('{"weights": {"Glue": "much"}}')
    with pytest.raises(InputError, match="w.json: not a file of weights"):
        run("mt", "translate", folder / "mt", "--weights", tmp_path / "w.json", text="a\n")
    (tmp_path / "w.json").write_text('{"weights": {"Gleu": 1}}')
    with pytest.raises(BinyanError, match="no feature is called 'Gleu'"):
        run("mt", "translate", folder / "mt", "--weights", tmp_path / "w.json", text="a\n")


@pytest.mark.posix
def test_interrupted_tuning_leaves_a_state_and_goes_on(folder):
    (folder / "long.en").write_text("\n".join(SOURCE * 8) + "\n")
    (folder / "long.de").write_text("\n".join(TARGET * 8) + "\n")
    command = [
        sys.executable,
        "-c",
        "from binyan.cli import main; main()",
        "mt",
        "tune",
        folder / "mt",
        "--source",
        folder / "long.en",
        "--reference",
        folder / "long.de",
        "--name",
        "stopped",
        "--k",
        "30",
        "--rounds",
        "50",
    ]
    state = folder / "mt" / "stopped-1.tuning"
    started = subprocess.Popen(
        [str(c) for c in command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ
    )
    for _ in range(600):
        if state.exists() or started.poll() is not None:
            break
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=60)
    assert started.returncode in (0, 130, -signal.SIGINT), errors  # the last: as the interpreter was closing
    assert state.exists()
    report = Translator.load(folder / "mt").tune(
        SOURCE * 8, TARGET * 8, name="stopped", tuning=TuningSettings(k=30, rounds=50), decoder=DecoderSettings()
    )
    assert report.best.bleu > 0.5


def test_kneser_ney_is_the_default_model(folder):
    assert isinstance(Translator.load(folder / "mt").using(weights=None).decoder().models[0], KneserNey)


@pytest.mark.filterwarnings("ignore::binyan.ngram.kneser_ney.DiscountWarning")
def test_from_sentences_to_translations_in_python(tmp_path):
    (tmp_path / "links").write_text("\n".join(LINKS) + "\n")
    upper = [s.capitalize() for s in SOURCE]
    translator = binyan.Translator(order=3, lowercase=True)
    assert not translator.is_fitted
    with pytest.raises(BinyanError, match="call fit first"):
        translator.translate("the dog")
    assert translator.fit(upper, TARGET, tmp_path / "ende", alignment_files=tmp_path / "links") is translator
    text, right = "The old dog sees a green house", "das alte hund sieht ein grüne haus"
    assert translator.translate(text) == right
    assert translator.translate([text, "", ["The", "zebra"]]) == [right, "", "das zebra"]
    (tmp_path / "text").write_text(f"{text}\n\n")
    assert translator.translate(tmp_path / "text") == [right, ""]
    best, *others = translator.translations(text, 5)
    assert best.text == str(best) == right and all(best.score >= t.score > -100 and t.text != right for t in others)
    weights = translator.decoder().weights
    assert best.score == pytest.approx(sum(weights[n] * v for n, v in best.features.items()), abs=1e-3)
    report = translator.tune([text], [right], rounds=2, k=20)
    assert report.best.bleu == 1.0 and "tuning:mira|k:20|seed:1|pop_limit:200" in str(report.signature)
    again = binyan.load(tmp_path / "ende")
    assert isinstance(again, binyan.Translator) and again.translate([text]) == [right]
    assert again.decoder().weights == report.best.weights
    pytest.importorskip("sacrebleu")
    assert again.evaluate([text], [right.capitalize()])["BLEU"] == pytest.approx(100)
    assert (
        again.evaluate([text], ([right], [right]), compounds={"hund": "hu nd"}).compounds.scores["system"].f_score == 1
    )


def test_what_is_no_system(folder, tmp_path):
    with pytest.raises(InputError, match="is a folder; name a file in it, or the folder of a translation system"):
        binyan.load(tmp_path)
    with pytest.raises(InputError, match="nosuch: is not the folder of a translation system"):
        Translator.load(tmp_path / "nosuch")
    with pytest.raises(BinyanError, match="mt: a translation system is not a language model"):
        run("lm", "perplexity", folder / "mt", "--text", folder / "de")
    with pytest.raises(BinyanError, match="remember their language models by file"):
        translator = Translator.load(folder / "mt")
        translator.using(translator.decoder().models).tune(["a dog"], ["ein hund"])


def test_a_misspelt_setting_and_names_of_files(folder):
    with pytest.raises(SettingsError, match="did you mean 'lowercase'"):
        Translator(lowercse=True)
    with pytest.raises(SettingsError, match="did you mean 'pop_limit'"):
        Translator.load(folder / "mt").translate("a dog", poplimit=3)
    with pytest.raises(InputError, match="is the name of a file"):
        Translator.load(folder / "mt").translate([str(folder / "en")])


def test_sentences_one_by_one_are_translated_as_all_at_once(folder):
    """Also where each brings a new word, which extends the decoder's vocabulary."""
    text = [f"{s} w{i} w{i // 2}" for i, s in enumerate(SOURCE)]
    translator, other = (Translator.load(folder / "mt") for _ in range(2))
    whole = translator.translations(text, 5)
    assert [other.translations(line, 5) for line in text] == whole
    streamed = [list(translator.stream(text, batch=batch, nbest=3, format="json")) for batch in (1, 3, 200)]
    assert streamed[0] == streamed[1] == streamed[2]
    assert translator.translate(text, consensus=1) == [best[0].text for best in whole]


def test_consensus_is_the_default_of_systems_alone(folder):
    translator = Translator.load(folder / "mt")
    assert translator.decoder().settings.consensus == 100 and DecoderSettings().consensus == 1
    assert translator.decoder(settings=DecoderSettings(pop_limit=7)).settings == TranslationSettings(
        pop_limit=7, consensus=1
    )


def test_features_are_built_once(folder, monkeypatch):
    calls = []
    build = KneserNey.decoder_feature
    monkeypatch.setattr(
        KneserNey, "decoder_feature", lambda self, words: calls.append(len(words)) or build(self, words)
    )
    translator = Translator.load(folder / "mt")
    decoder = translator.decoder()
    for line in ("the dog", "the zebra sees a gnu", "the zebra", "a yak"):
        translator.translate(line)
    assert len(calls) == 1 and translator.decoder() is decoder
    translator.translate("the dog", pop_limit=10, consensus=5)
    assert len(calls) == 1


def test_a_decoder_is_asked_from_several_threads(folder):
    decoder = Translator.load(folder / "mt").decoder()
    text = [[*s.split(), f"w{i}"] for i, s in enumerate(SOURCE)]
    expected = [h.words for h in Decoder(decoder.rules, decoder.models).translate(text)]
    decoder = decoder.changed(weights=Decoder(decoder.rules, decoder.models).weights)
    with ThreadPoolExecutor(8) as pool:
        assert [h.words for h in pool.map(lambda s: decoder.translate([s])[0], text)] == expected


def test_systems_of_version_0_1_open(folder, tmp_path):
    shutil.copytree(folder / "mt", tmp_path / "old", ignore=lambda *_: ["settings.json"])
    preparation = {"normalise": "none", "punctuation": False, "tokenise": None}
    preparation |= {"strip_marks": False, "lowercase": True, "digits": False}
    limits = {"max_span": 10, "max_symbols": 5, "max_gaps": 2, "min_count": 1, "max_targets": 0}
    settings = {"source_preparation": preparation, "target_preparation": preparation, "limits": limits}
    settings |= {"symmetrisation": "grow-diag-final-and", "order": 3}
    (tmp_path / "old" / "settings.json").write_text(json.dumps({"settings": settings, "bitext": "12", "only_for": []}))
    old = binyan.load(tmp_path / "old")
    assert old.translate("THE DOG") == "das hund" and "bitext:12|max_span:10" in str(old.signature())
