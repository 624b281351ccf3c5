"""Translation systems: made from a bitext, tuned, and used; each lives in a folder of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, overload

from binyan.errors import InputError, ModelFileError, NotFittedError, SettingsError
from binyan.files import PathLike
from binyan.language_model import LanguageModel
from binyan.progress import ProgressOption
from binyan.settings import gather, takes_settings
from binyan.signature import Signature
from binyan.text import Preparation
from binyan.text.reading import Source, read_sentences
from binyan.text.vocabulary import SPECIALS
from binyan.translation.alignment import AlignmentSettings
from binyan.translation.any_line import FittedLines
from binyan.translation.bitext import Bitext, BitextSettings, check_lines, read_words
from binyan.translation.bitext_cleaning import CleaningReport, CleaningSettings
from binyan.translation.decoder import Decoder, DecoderSettings, TranslationSettings, longest_sentence
from binyan.translation.derivation import Explainer, Explanation
from binyan.translation.inputs import ModelOrPath, batches, listed, model_files, open_models, reference_texts
from binyan.translation.json_lines import answer_lines
from binyan.translation.monolingual import read_monolingual, text_digest
from binyan.translation.nbest import check_decoder_format, list_lines
from binyan.translation.new_word_decoder import make_decoder
from binyan.translation.new_word_learning import NewWordRecipe
from binyan.translation.new_word_report import NewWordReport, new_word_report
from binyan.translation.rule_extraction import ExtractionLimits
from binyan.translation.rule_table import RuleTable
from binyan.translation.system_folder import WEIGHTS, SystemFolder, SystemRecipe, SystemSettings, read_weights
from binyan.translation.tuning import TuningReport, TuningSettings, tune

if TYPE_CHECKING:
    from binyan.evaluation.translation import TranslationReport

_RECIPE = BitextSettings, AlignmentSettings, SystemSettings, ExtractionLimits, CleaningSettings


@dataclass(frozen=True)
class Translation:
    """One translation of a sentence: its text, its score, and the features whose weighted sum the score is."""

    text: str
    score: float
    features: Mapping[str, float]

    def __str__(self) -> str:
        return self.text


class Translator:
    """A hierarchical translation system.

    Sentences go in as text and are prepared as the bitext was; translations come out as words with spaces between them. A list of
    words is taken as tokenised. The decoder and what its models have answered stay in memory from call to call.

    >>> import tempfile, warnings
    >>> warnings.simplefilter("ignore")
    >>> source = ["the house", "the dog", "a house", "a dog"] * 3
    >>> target = ["das haus", "das tier", "ein haus", "ein tier"] * 3
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "links").write_text("0-0 1-1\\n" * 12)
    >>> translator = Translator(order=2).fit(source, target, folder / "ende", alignment_files=folder / "links")
    >>> translator.translate("a dog")
    'ein tier'
    """

    @takes_settings(*_RECIPE)
    def __init__(self, **settings: Any) -> None:
        self.recipe = SystemRecipe(*gather("Translator", settings, *_RECIPE))
        self.cleaned: CleaningReport | None = None
        self._system: SystemFolder | None = None
        self._models: tuple[ModelOrPath, ...] = ()
        self._weights: PathLike | None = None
        self._rules: RuleTable | None = None
        self._decoder: Decoder | None = None

    # Making a system, and opening one.

    def fit(
        self,
        source: Source,
        target: Source,
        folder: PathLike,
        *,
        alignment_files: PathLike | Sequence[PathLike] = (),
        only_for: PathLike | Sequence[PathLike] = (),
        monolingual: PathLike | Sequence[PathLike] = (),
        new_words: bool | NewWordRecipe = False,
        progress: ProgressOption = None,
    ) -> Self:
        """Make a system in `folder` from two texts, line by line translations of each other; steps done there before are kept.

        `alignment_files`: Pharaoh files to use instead of running eflomal. `only_for`: source texts; only rules they can use
        are kept, which saves memory where the bitext is large. `cleaned` says how many sentence pairs were left out, and why.
        `monolingual`: further text in the target language, for the language model and for new words. `new_words`: learn how to make words that the bitext does not have; a system that exists may get them later.
        """
        files, texts = listed(alignment_files), listed(only_for)
        if files:
            self.recipe = self.recipe.with_alignments(len(files))
        bitext = Bitext.read(source, target, self.recipe.bitext)
        more = read_monolingual(listed(monolingual), self.recipe.bitext.target, bitext)
        self._system = SystemFolder.create(folder, self.recipe, bitext, texts, text_digest(more) if more else "")
        self.cleaned = self._system.make(bitext, files, texts, progress, more, new_words)
        self._models, self._weights, self._rules, self._decoder = (), None, None, None
        return self

    @classmethod
    def load(cls, folder: PathLike) -> Self:
        """Open the system in a folder."""
        translator = cls()
        translator._system = SystemFolder(folder)
        translator.recipe = translator._system.recipe
        return translator

    def using(
        self,
        models: ModelOrPath | Sequence[ModelOrPath] = (),
        weights: PathLike | None = None,
        rules: RuleTable | None = None,
    ) -> Self:
        """The same system with other language models, another file of weights, or other rules."""
        other = copy.copy(self)
        other._models = tuple(listed(models)) or self._models
        other._weights = weights or self._weights
        other._rules = rules or self._rules
        other._decoder = None
        return other

    @property
    def is_fitted(self) -> bool:
        """Whether there is a system."""
        return self._system is not None

    @property
    def folder(self) -> Path:
        """Where the system is."""
        return self._files.path

    @property
    def _files(self) -> SystemFolder:
        if self._system is None:
            raise NotFittedError("Translator")
        return self._system

    @property
    def rules(self) -> RuleTable:
        """The translation rules."""
        if self._rules is None:
            self._rules = RuleTable.load(self._files.rules)
        return self._rules

    # Translating.

    @takes_settings(TranslationSettings)
    def decoder(self, **settings: Any) -> Decoder:
        """The decoder that `translate` uses, under tuned weights and with the models they were tuned with; it is kept."""
        whole = {n: TranslationSettings(**v.to_dict()) for n, v in settings.items() if type(v) is DecoderSettings}
        [own] = gather("translate", settings | whole, TranslationSettings)
        if self._decoder is None:
            weights = self._stored_weights()
            models = open_models(self._models or weights["models"] or [self._files.language_model])
            self._decoder = self.decoder_for(models, weights, own)
        elif self._decoder.settings != own:
            self._decoder = self._decoder.changed(settings=own)
        return self._decoder

    def decoder_for(
        self, models: Sequence[LanguageModel], stored: Mapping[str, Any], settings: TranslationSettings | None = None
    ) -> Decoder:
        """A decoder of its own, with some language models and weights as `read_weights` gives them."""
        new_words = self._files.new_words if stored.get("new_words") else None
        return make_decoder(self.rules, models, stored["weights"], settings or TranslationSettings(), new_words)

    def _stored_weights(self) -> dict[str, Any]:
        path = Path(self._weights) if self._weights is not None else self._files.weights()
        if path.exists():
            return read_weights(path)
        if self._weights is not None:
            raise InputError(f"{path}: there are no such weights")
        return {"weights": None, "models": [], "new_words": self._files.new_words.exists()}

    @overload
    def translate(self, text: str, *, threads: int = 1, progress: ProgressOption = None, **settings: Any) -> str: ...
    @overload
    def translate(
        self, text: Source, *, threads: int = 1, progress: ProgressOption = None, **settings: Any
    ) -> list[str]: ...
    @takes_settings(TranslationSettings)
    def translate(
        self, text: Source, *, threads: int = 1, progress: ProgressOption = None, **settings: Any
    ) -> str | list[str]:
        """The translation of a sentence, or of each sentence of a list or of a file given as a Path object."""
        lines = list(_translated(self.decoder(**settings), self._sentences(text), threads, progress))
        return lines[0] if isinstance(text, str) else lines

    @overload
    def translations(
        self, text: str, n: int = 10, *, threads: int = 1, progress: ProgressOption = None, **settings: Any
    ) -> list[Translation]: ...
    @overload
    def translations(
        self, text: Source, n: int = 10, *, threads: int = 1, progress: ProgressOption = None, **settings: Any
    ) -> list[list[Translation]]: ...
    @takes_settings(TranslationSettings)
    def translations(
        self, text: Source, n: int = 10, *, threads: int = 1, progress: ProgressOption = None, **settings: Any
    ) -> list[Translation] | list[list[Translation]]:
        """The n best translations of a sentence, or of each sentence, best first, with scores and features."""
        decoder, sentences = self.decoder(**settings), self._sentences(text)
        lists = decoder.k_best(sentences, n, distinct=True, threads=threads, progress=progress)
        best: list[list[Translation]] = [[] for _ in sentences]
        for h, sentence in enumerate(lists.sentence):
            features = dict(zip(decoder.feature_names, lists.features[h].tolist(), strict=True))
            best[sentence].append(Translation(" ".join(lists.text(h)), float(lists.score[h]), features))
        return best[0] if isinstance(text, str) else best

    @takes_settings(TranslationSettings)
    def stream(
        self,
        lines: Iterable[str],
        *,
        batch: int = 200,
        nbest: int = 0,
        format: str = "moses",
        prepared: bool = False,
        threads: int = 1,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> Iterator[str]:
        """Lines in, lines out, `batch` sentences at a time. Very long lines are translated in pieces, very long words copied.

        With `nbest`, this many hypotheses per sentence are written, in a format of n-best lists. With `prepared`, only white
        space separates words.
        """
        check_decoder_format(format)
        prepare = Preparation() if prepared else self.recipe.bitext.source
        decoder = self.decoder(**settings)
        done = 0
        for sentences in batches((prepare(line) for line in lines), batch):
            if nbest:
                lists = decoder.k_best(sentences, nbest, distinct=True, threads=threads, progress=progress)
                yield from list_lines(lists, decoder.feature_names, done, format)
            else:
                yield from _translated(decoder, sentences, threads, progress)
            done += len(sentences)

    @takes_settings(TranslationSettings)
    def explain(self, text: str | Sequence[str], n: int = 1, **settings: Any) -> Explanation:
        """How a sentence is translated: the n best translations with word alignment and the rules that made them.

        The first is what `translate` writes; the others follow by their scores.
        """
        [words] = self._sentences([text])
        return Explainer(self.decoder(**settings)).explain(words, n)

    @takes_settings(TranslationSettings)
    def answer_lines(
        self, source: PathLike | IO[bytes], *, n: int = 1, prepared: bool = False, threads: int = 1, **settings: Any
    ) -> Iterator[str]:
        """Lines of a file or stream in, lines of JSON out, as they come: what `explain` tells of each sentence, or an `error`.

        A line is a sentence, or a JSON object with `text`, and further `n` and `id`, which comes back.
        """
        preparation = Preparation() if prepared else self.recipe.bitext.source
        yield from answer_lines(Explainer(self.decoder(**settings)), preparation, source, n, threads)

    def _sentences(self, text: Source) -> list[list[str]]:
        return list(
            read_sentences(
                [text] if isinstance(text, str) else text, self.recipe.bitext.source, keep_blank=True, refused=SPECIALS
            )
        )

    # Weights, and how good they are.

    @takes_settings(TuningSettings, DecoderSettings)
    def tune(
        self,
        source: Source,
        references: Source | Sequence[Source],
        *,
        models: PathLike | Sequence[PathLike] = (),
        repetitions: int = 1,
        name: str = WEIGHTS,
        new_words: bool | None = None,
        threads: int = 1,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> TuningReport:
        """Tune the weights towards BLEU on a text with its translation.

        Several reference translations are given as a list of Path objects or a tuple of texts. Tuning is repeated with seeds that follow each other; what is done already is not done again. Writes NAME-N.json for
        each repetition, and NAME.json for the one with the best BLEU; `translate` takes weights.json. The weights remember
        `models`, by default the system's own, and whether `new_words` are made, by default where the system can.
        """
        tuning, search = gather("tune", settings, TuningSettings, DecoderSettings)
        if repetitions < 1:
            raise SettingsError("tuning is repeated once or more")
        paths = model_files(models or self._models)
        text, translations = self._development(source, references)
        loaded = open_models(paths or [self._files.language_model])
        new = self._files.new_words.exists() if new_words is None else new_words
        rules = self.rules.restricted(text, search.max_span)
        decoder = make_decoder(rules, loaded, None, search, self._files.new_words if new else None)
        runs = [replace(tuning, seed=tuning.seed + n) for n in range(repetitions)]
        results = []
        for n, own in enumerate(runs, 1):
            state = self._files.tuning_state(f"{name}-{n}")
            results.append(tune(decoder, text, translations, own, state, threads, progress, self._files.words_ratio))
            self._files.save_weights(f"{name}-{n}", results[-1], own, paths, loaded, new)
        best = max(range(repetitions), key=lambda i: results[i].bleu)
        self._files.save_weights(name, results[best], runs[best], paths, loaded, new)
        self._decoder = None
        figures = {"tuning": tuning.method, "k": tuning.k, "seed": tuning.seed, "pop_limit": search.pop_limit}
        figures["length"] = tuning.length
        return TuningReport(tuple(results), self.signature().extended(**figures))

    def _development(
        self, source: Source, references: Source | Sequence[Source]
    ) -> tuple[list[list[str]], list[list[list[str]]]]:
        """Prepared sentences, and the references of each."""
        text = read_words(source, self.recipe.bitext.source)
        sets = []
        for reference in reference_texts(references):
            sets.append(read_words(reference, self.recipe.bitext.target))
            check_lines(source, text, reference, sets[-1])
        return text, [list(of_sentence) for of_sentence in zip(*sets, strict=True)]

    def evaluate(
        self,
        source: Source,
        references: Source | Sequence[Source],
        *,
        threads: int = 1,
        progress: ProgressOption = None,
        **settings: Any,
    ) -> TranslationReport:
        """Translate a text and score the translations against one reference or several, which are prepared as the bitext was.

        `settings` are those of `binyan.evaluation.translation.evaluate_translations`.
        """
        from binyan.evaluation.translation import evaluate_translations

        text, translations = self._development(source, references)
        hypotheses = self.translate(text, threads=threads, progress=progress)
        sets = [[" ".join(words) for words in one] for one in zip(*translations, strict=True)]
        return evaluate_translations(hypotheses, sets, **settings)

    def report_new_words(
        self,
        source: Source,
        references: Source | Sequence[Source],
        *,
        threads: int = 1,
        examples: int = 20,
        **search: Any,
    ) -> NewWordReport:
        """Translate a text, and count which words that the bitext does not have were offered, written and right."""
        text, translations = self._development(source, references)
        return new_word_report(self.decoder(**search), text, translations, threads, examples)

    def signature(self) -> Signature:
        """How the system was made."""
        return Signature(
            {
                "bitext": self._files.bitext,
                **self.recipe.limits.to_dict(),
                "symmetrisation": self.recipe.alignment.symmetrisation,
                "alignments": self.recipe.system.alignments,
            }
        )

    def as_translator(self) -> Self:
        """Itself: the explorer asks every model what it can do."""
        return self

    def as_language_model(self) -> LanguageModel:
        """Refused: a system holds a language model, and is none."""
        raise ModelFileError("a translation system is not a language model; 'binyan mt' has the commands for it")

    def __repr__(self) -> str:
        return f"<Translator {self.folder}>" if self.is_fitted else "<Translator, not fitted>"


def _translated(
    decoder: Decoder, sentences: Sequence[Sequence[str]], threads: int, progress: ProgressOption
) -> Iterator[str]:
    """The translation of each sentence; very long ones in pieces, with very long words copied."""
    fitted = FittedLines(sentences, longest_sentence(decoder.settings.consensus))
    hypotheses = decoder.translate(fitted.pieces, threads, progress)
    return fitted.joined(" ".join(hypothesis.words) for hypothesis in hypotheses)
