"""Words that the bitext does not have: made, offered, bounded, scored."""

import json
import math
import warnings

import pytest
from typer.testing import CliRunner

from binyan import model_file
from binyan.cli import app
from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.ngram.compound import CompoundHPYLM
from binyan.segmentation import SegmentationTable
from binyan.translation import Bitext, Translator
from binyan.translation.compound_parts import CompoundParts, found_links
from binyan.translation.monolingual import check_language
from binyan.translation.new_rules import COMPOUND, COPY, FORM, NEW_FEATURES, PARTS, RELATED, TRANSLITERATION, UNSEEN
from binyan.translation.new_word_learning import NewWordRecipe
from binyan.translation.new_words import NewWords, NewWordSettings, Pattern
from binyan.translation.rule_maker import RuleMaker, ScriptWarning
from binyan.translation.transliteration import Transliterator
from binyan.translation.word_forms import WordForms
from binyan.translation.word_translations import WordTranslations

NOUNS = {"book": "buch", "kitchen": "küchen", "garden": "garten", "shop": "laden", "door": "tür", "table": "tisch"}
SEEN = [
    ("book", "shop"),
    ("kitchen", "table"),
    ("garden", "door"),
    ("kitchen", "door"),
    ("book", "table"),
    ("garden", "shop"),
]


def bitext_lines():
    """(source, target, links): single nouns, and compounds of them, each three times."""
    lines = []
    for noun, word in NOUNS.items():
        lines.append((f"the {noun} is red", f"das {word} ist grün", "0-0 1-1 2-2 3-3"))
        lines.append((f"a {noun} is redder", f"ein {word} ist grüner", "0-0 1-1 2-2 3-3"))
    for first, last in SEEN:
        lines.append((f"the {first} {last} is old", f"das {NOUNS[first]}{NOUNS[last]} ist alt", "0-0 1-1 2-1 3-2 4-3"))
    lines.append(("the walls are old", "das mauern sind alt", "0-0 1-1 2-2 3-3"))
    return lines * 3


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    folder = tmp_path_factory.mktemp("newwords")
    source, target, links = zip(*bitext_lines(), strict=True)
    (folder / "links").write_text("\n".join(links) + "\n")
    more = ["die gartentisch und die tür", "das buchgarten ist grün"] * 2
    (folder / "more").write_text("\n".join(more) + "\n")
    translator = Translator(order=3).fit(
        list(source),
        list(target),
        folder / "mt",
        alignment_files=folder / "links",
        monolingual=folder / "more",
        new_words=NewWordRecipe(source_map="none", target_map="none"),
    )
    return translator


def maker(system, **settings):
    known = NewWords.load(system.folder / "new_words.binyan")
    known.settings = NewWordSettings(**settings)
    return RuleMaker(known, WordTranslations(system.rules))


def test_compounds_of_translated_words_are_offered(system):
    rules = maker(system).rules([["the", "garden", "table", "is", "old"]])
    offered = {(rule.source, rule.target): rule for rule in rules}
    made = offered[("garden", "table"), ("gartentisch",)]
    assert made.kinds == (COMPOUND,) and made.log_prob < 0 and str(made.parts) == "garten tisch"
    translations = WordTranslations(system.rules)
    expected = sum(translations.of(word)[0].log_prob for word in ("garden", "table"))
    place = system.rules.features.index("TargetGivenSource")
    assert made.features[place] == pytest.approx(expected)
    assert made.features[system.rules.features.index("LogCount")] == 0
    # what a rule has is not offered again, and what no text has only if both parts are parts of compounds
    assert not [
        r for r in maker(system).rules([["the", "kitchen", "table"]]) if COMPOUND in r.kinds and len(r.source) == 2
    ]
    unseen = [r for r in maker(system, least_log_prob=-99.0).rules([["kitchen", "shop"]]) if COMPOUND in r.kinds]
    assert [r.target for r in unseen] == [("küchenladen",)] and UNSEEN in unseen[0].kinds
    assert not [r for r in maker(system, least_log_prob=0.0).rules([["kitchen", "shop"]]) if COMPOUND in r.kinds]


def test_new_words_are_written_and_bounded(system):
    assert (system.folder / "new_words.binyan").exists()
    assert "gartentisch" in system.translate("the garden table is old").split()
    names = system.decoder().feature_names
    assert set(NEW_FEATURES) < set(names)
    best = system.translations("the garden table is old", 3)
    assert best[0].features[COMPOUND] == 1 and best[0].features["NewLogProb"] < 0
    assert sum(best[0].features[n] * system.decoder().weights[n] for n in names) == pytest.approx(
        best[0].score, abs=1e-3
    )
    for most in (0, 1):
        small = maker(system, compounds=most, forms=most, unknown=most)
        rules = small.rules([f"{a} {b}".split() for a in NOUNS for b in NOUNS])
        spans = [rule.source for rule in rules]
        assert all(spans.count(span) <= most for span in set(spans))
    with pytest.raises(SettingsError, match="between 0 and 100"):
        NewWordSettings(compounds=10_000)


def test_batches_and_threads_do_not_change_translations(system):
    lines = ["the garden table is old", "a book garden is red", "the bookshop is red", "zebra", ""]
    together = system.translate(lines)
    assert together == [system.translate(line) for line in lines]
    assert together == list(system.stream(lines, batch=2, threads=2))


def test_unknown_source_words(system):
    rules = maker(system).rules([["the", "bookshop"], ["tabledoor"], ["2024"], ["--"]])
    of = {}
    for rule in rules:
        of.setdefault(rule.source, []).append(rule)
    split = of[("bookshop",)]
    assert ("buch", "laden") in [r.target for r in split if PARTS in r.kinds]
    assert ("buchladen",) in [r.target for r in split if PARTS in r.kinds and COMPOUND in r.kinds]
    assert [r.target for r in split if COPY in r.kinds] == [("bookshop",)]
    assert ("2024",) not in of and ("--",) not in of  # copied by the decoder
    assert maker(system).rules([["book" * 50_000]]) == []
    assert system.translate("the bookshop is old").split()[1] in ("buchladen", "buch")
    assert system.translate("the zebra 2024") == "das zebra 2024"


def test_forms_of_stems(system):
    table = SegmentationTable.of_any(
        {
            word: " ".join((word[:n], word[n:]))
            for word, n in (("grüne", 4), ("grüner", 4), ("kleine", 5), ("kleiner", 5), ("kalte", 4), ("kalter", 4))
        }
        | {"grün": "grün"}
    )
    counts = {
        "grüne": 4,
        "grüner": 1,
        "kleine": 2,
        "kleiner": 2,
        "kalte": 1,
        "kalter": 1,
        "grün": 5,
        "weiße": 1,
        "kaltes": 1,
    }
    forms = WordForms.of(table, counts)
    assert [(f.word, f.share) for f in forms.related("grüner")] == [("grün", 5 / 9), ("grüne", 4 / 9)]
    assert [f.word for f in forms.related("kleine")] == ["kleiner"]
    assert [f.word for f in forms.related("grünes")] == []  # the ending s is not attested
    assert [f.word for f in forms.related("kalter")] == ["kalte"]
    known = maker(system)
    known.new_words.target = type(known.new_words.target)(counts, forms, known.new_words.target.compounds)
    offered = [rule for rule in known.rules([["redder"]]) if FORM in rule.kinds]
    assert [rule.target for rule in offered] == [("grün",), ("grüne",)]
    assert offered[0].log_prob == pytest.approx(math.log(5 / 9))
    sides = {"door": 4, "doors": 4}
    known.new_words.source = type(known.new_words.source)(
        {}, WordForms(sides, dict.fromkeys(sides, 1)), known.new_words.source.compounds
    )
    assert [r.target for r in known.rules([["doors"]]) if RELATED in r.kinds] == [("tür",)]


def test_linking_elements_and_chances():
    counts = {
        "arbeit": 9,
        "zimmer": 9,
        "freiheit": 9,
        "kampf": 9,
        "zeit": 9,
        "haus": 9,
        "liebe": 9,
        "lied": 9,
        "wahl": 9,
    }
    made = [
        "arbeitszimmer",
        "arbeitszeit",
        "freiheitskampf",
        "freiheitszeit",
        "liebeslied",
        "arbeitskampf",
        "hauswahl",
        "wahlkampf",
        "zeithaus",
    ]
    counts |= dict.fromkeys(made, 2)
    assert found_links(counts) == ["s"]
    parts = CompoundParts.of(counts)
    assert parts.links == {"s": 6, "": 3}
    best = parts.joined("arbeit", "haus")
    assert [c.word for c in best] == ["arbeitshaus", "arbeithaus"]
    # link chances: 3 of 3 after "arbeit", by way of last letters and of all compounds
    everywhere, after_t = 6 / 9, (5 + 6 / 9) / (6 + 1)
    chance = (3 + after_t) / (3 + 1)
    as_modifier, as_head = (3 * 2 + 0.01) / (3 * 2 + 0.01 + 9), (2 + 0.01) / (2 + 0.01 + 9)
    assert everywhere < after_t < chance
    assert best[0].log_prob == pytest.approx(math.log(chance * as_modifier * as_head))
    assert parts.joined("Arbeit", "Haus")[0].word == "Arbeitshaus" and parts.joined("x1", "haus") == []
    assert not CompoundParts.of({"haus": 2, "hof": 1}).joined("haus", "hof")


def test_unknown_scripts_are_said_and_copied(system):
    known = maker(system)
    with pytest.warns(ScriptWarning, match="no transliteration was learnt; such words are copied"):
        assert known.rules([["москва"]]) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert known.rules([["казань"]]) == []  # said once
    known.new_words.transliterator = Transliterator({"м": {"m": 1.0}, "а": {"a": 1.0}}, "cyrillic", "latin", 10)
    [written, copied] = known.rules([["мама"]])
    assert written.target == ("mama",) and written.kinds == (TRANSLITERATION,) and copied.kinds == (COPY,)


def test_text_in_another_language_is_refused(tmp_path):
    german = ["der mann und die frau sind in dem haus", "die frau ist mit dem hund auf der strasse"] * 50
    english = ["the man and the woman are at home", "a woman is on the street with her dog"] * 50
    bitext = Bitext([line.split() for line in english], [line.split() for line in german])
    check_language([line.split() for line in ["die katze ist mit der maus in dem garten"] * 100], bitext, "more")
    with pytest.raises(InputError, match=r"more: the 100 most frequent words .*: it is in the source language"):
        check_language([line.split() for line in english], bitext, "more")
    french = ["le chat est avec la souris dans le jardin où elle a une petite maison de bois et de paille"] * 100
    with pytest.raises(InputError, match="it is in another language, or in another case"):
        check_language([line.split() for line in french], bitext, "more")
    close = [[*line.split(), "und", "die"] for line in english]  # words that both languages have
    with pytest.raises(InputError, match="the source language"):
        check_language(close, bitext, "more")
    (tmp_path / "more").write_text("\n".join(english))
    with pytest.raises(InputError, match="give text in the target language"):
        Translator().fit(english, german, tmp_path / "mt", monolingual=tmp_path / "more")
    assert not (tmp_path / "mt").exists()


def test_patterns_are_learnt_from_rules(system):
    known = NewWords.load(system.folder / "new_words.binyan")
    assert list(known.patterns) == [Pattern("", False)]
    assert Pattern("of", True).parts(["cup", "of", "coffee"]) == ("coffee", "cup")
    assert "target words" in str(known) and known.patterns_of(["a", "of", "b"]) == []


def test_systems_agree_on_new_words(system, tmp_path):
    dev = ["the garden table is old", "the bookshop is red"], ["das gartentisch ist alt", "das buchladen ist grün"]
    report = system.tune(*dev, rounds=1, name="with", k=10)
    assert set(NEW_FEATURES) < set(report.best.weights)
    system.tune(*dev, rounds=1, name="without", k=10, new_words=False)
    plain = system.using(weights=system.folder / "without.json")
    assert not set(NEW_FEATURES) & set(plain.decoder().feature_names)
    assert "gartentisch" not in plain.translate("the garden table is old")
    assert set(NEW_FEATURES) < set(system.using(weights=system.folder / "with.json").decoder().feature_names)
    source, target, links = zip(*bitext_lines(), strict=True)
    (tmp_path / "links").write_text("\n".join(links) + "\n")
    other = Translator(order=2).fit(list(source), list(target), tmp_path / "mt", alignment_files=tmp_path / "links")
    with pytest.raises(SettingsError, match="again, with --new-words"):
        other.tune(*dev, new_words=True)
    other.fit(
        list(source),
        list(target),
        tmp_path / "mt",
        alignment_files=tmp_path / "links",
        new_words=NewWordRecipe(source_map="none", target_map="none"),
    )
    assert (other.folder / "new_words.binyan").exists()


def test_a_report_of_new_words(system, tmp_path):
    source = ["the garden table is old", "the bookshop is red", "the zebra is red"]
    target = ["das gartentisch ist alt", "das buchladen ist grün", "das zebra ist grün"]
    report = system.report_new_words(source, target)
    compounds = report.kinds["compounds"]
    assert (compounds.written, compounds.right) == (1, 1) and compounds.offered >= compounds.right_offered >= 1
    assert report.unknown == 2 and report.untranslated == 1  # zebra
    [garden] = [e for e in report.examples if e.kind == "compounds"]
    assert (garden.sentence, garden.source, garden.target, garden.right) == (0, "garden table", "gartentisch", True)
    assert "1: garden table -> gartentisch (compounds, right)" in str(report)
    assert report.to_dict()["unknown"] == {"words": 2, "untranslated_before": 2, "untranslated": 1}
    (tmp_path / "en").write_text("\n".join(source) + "\n")
    (tmp_path / "de").write_text("\n".join(target) + "\n")
    places = ["--source", str(tmp_path / "en"), "--reference", str(tmp_path / "de")]
    shown = CliRunner().invoke(app, ["mt", "new-words", str(system.folder), *places, "--json"])
    assert json.loads(shown.stdout)["kinds"]["compounds"]["right"] == 1
    system.tune(source, target, rounds=1, name="plain", k=10, new_words=False)
    refused = CliRunner().invoke(
        app, ["mt", "new-words", str(system.folder), *places, "--weights", str(system.folder / "plain.json")]
    )
    assert isinstance(refused.exception, SettingsError) or "tuned without them" in refused.output


def test_open_models_score_exactly_the_new_words(system):
    """hpylm+g knows nothing of a compound but what it is told with the rule; the decoder then scores it by its parts."""
    text = [
        "das buch ist alt",
        "das tisch ist grün",
        "das buchladen ist alt",
        "das garten ist grün",
        "das laden ist grün",
    ] * 4
    table = {"buchladen": "buch laden", "gartenbuch": "garten buch"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CompoundHPYLM(order=2, sweeps=10, segmentation=table).fit([*text, "das gartenbuch ist alt"])
        with_model = system.using(models=[model])
        best = with_model.translations("the garden table is old", 5)
    assert "gartentisch" not in model.vocabulary
    opened = with_model.decoder().models[0]
    assert opened.has_own_probability("gartentisch") and opened.parts_of("gartentisch") == ("tisch", "garten")
    for one in best:
        expected = float(opened.score_sentences([one.text.split()]).log_prob.sum())
        assert one.features["LanguageModel1"] == pytest.approx(expected, abs=1e-3)
    assert any("gartentisch" in one.text for one in best)


def test_files_of_new_words(system):
    known = maker(system).new_words
    again = NewWords.from_bytes(known.to_bytes())
    sentences = [["the", "garden", "table", "is", "old"], ["bookshop"]]
    rules = [RuleMaker(one, WordTranslations(system.rules)).rules(sentences) for one in (known, again)]
    assert [(r.source, r.target, r.kinds, r.log_prob) for r in rules[0]] == [
        (r.source, r.target, r.kinds, r.log_prob) for r in rules[1]
    ]
    meta, sections = known.contents()
    short = sections["target/counts"][:-1]
    with pytest.raises(ModelFileError, match="do not fit together"):
        NewWords.from_bytes(model_file.to_bytes(known.kind, meta, {**sections, "target/counts": short}))
    with pytest.raises(ModelFileError):
        NewWords.from_bytes(model_file.to_bytes(known.kind, {**meta, "patterns": [["", True]]}, sections))


def test_memory_stays_bounded(system, monkeypatch):
    lines = ["the garden table is old", "the bookshop is red", "quux is old", "the garden table"]
    expected = [system.translate(line) for line in lines]
    monkeypatch.setattr("binyan.translation.new_word_decoder._MOST_NEW", 2)
    fresh = system.using(weights=None)
    fresh._decoder = None
    assert [fresh.translate(line) for line in lines * 2] == expected * 2
    words = fresh.decoder()._current()._target.words
    assert len(words) < len(system.rules.target) + 20
    assert fresh.translate(lines, pop_limit=50) == expected


def test_commands(tmp_path):
    columns = dict(zip(("en", "de", "links"), zip(*bitext_lines(), strict=True), strict=True))
    columns |= {"dev.en": ["the garden shop is red"], "dev.de": ["das gartenladen ist grün"]}
    for name, lines in columns.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "map").write_text("grün\tgrün\ngrüner\tgrün er\n")

    def run(*arguments, text=None):
        result = CliRunner().invoke(app, [str(a) for a in ("mt", *arguments)], input=text)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    texts = "--source", tmp_path / "en", "--target", tmp_path / "de", "--alignment", tmp_path / "links"
    maps = "--source-map", "none", "--target-map", tmp_path / "map"
    run("train", *texts, "--order", 2, "--new-words", *maps, "--new-compounds", 3, "--out", tmp_path / "mt", "--quiet")
    assert NewWords.load(tmp_path / "mt" / "new_words.binyan").settings.compounds == 3
    dev = "--source", tmp_path / "dev.en", "--reference", tmp_path / "dev.de", "--rounds", 1
    tuned = json.loads(run("tune", tmp_path / "mt", *dev, "--json"))
    plain = json.loads(run("tune", tmp_path / "mt", *dev, "--no-new-words", "--name", "plain", "--json"))
    assert COMPOUND in tuned["weights"] and COMPOUND not in plain["weights"]
    output = run("translate", tmp_path / "mt", "--weights", tmp_path / "mt" / "plain.json", text="the garden table\n")
    assert output == "das garten tisch\n"
    assert len(run("translate", tmp_path / "mt", text="the garden table\n\n").splitlines()) == 2
    wrong = CliRunner().invoke(
        app, ["mt", "train", *map(str, texts), "--target-map", "nothing", "--out", str(tmp_path / "x")]
    )
    assert wrong.exit_code != 0 and "'nothing' is none of these" in str(wrong.exception or wrong.output)
