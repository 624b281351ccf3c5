"""Paradigms, generation and the grammar sketch as methods of a morphology."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from binyan.errors import InputError, ModelFileError, SettingsError
from binyan.morphology.paradigm.builder import ParadigmBuilder
from binyan.morphology.paradigm.families import By, WordReading, read_words
from binyan.morphology.paradigm.generation import GeneratedForm, GeneratedForms, Generator
from binyan.morphology.paradigm.random_words import RandomWords
from binyan.morphology.paradigm.reading import Reading, read
from binyan.morphology.paradigm.tables import Paradigm, Paradigms
from binyan.progress import Progress, ProgressOption
from binyan.settings import check_seed
from binyan.text import Preparation

if TYPE_CHECKING:
    from binyan.grammar.rules import Grammar
    from binyan.morphology.posterior import Posterior
    from binyan.morphology.settings import MorphologySettings
    from binyan.morphology.sketch import Sketch
    from binyan.signature import Signature

_TREES = 30  # of a word that is not in the list
_MOST_DRAWN = 100_000
_TRIES = 100  # draws for each word that must be a new one


class ParadigmMethods:
    """What a morphology says of families of words, and the words it makes."""

    grammar: Grammar
    posterior: Posterior
    preparation: Preparation
    _read: tuple[Posterior, ParadigmBuilder] | None = None

    settings: MorphologySettings

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """What there is to say of a morphology that was just learnt."""

    @abstractmethod
    def signature(self) -> Signature:
        """How the model was made."""

    def paradigm(self, base: str, by: By | None = None, limit: int = 30) -> Paradigm:
        """The paradigm of a stem or root: the cells it is seen in, and `limit` gaps with the forms that would fill them.

        A base that is both is taken for a root, unless `by` says "stem". Raises InputError where no word of the list has it.
        """
        return self.paradigm_builder().paradigm(self._one(base), by, limit)

    def paradigms(self, by: By | None = None, limit: int = 20, cells: int = 8) -> Paradigms:
        """The `limit` stems or roots with the most forms, side by side in the `cells` most widespread cells.

        By root where words have roots, else by stem. Gaps hold the forms that would fill them.
        """
        return self.paradigm_builder().paradigms(by, limit, cells)

    def generate(
        self,
        *,
        root: str | None = None,
        template: str | None = None,
        stem: str | None = None,
        affixes: str | None = None,
        random: int | None = None,
        new: bool = False,
        limit: int = 20,
        seed: int = 1,
    ) -> GeneratedForms:
        """Words made of parts, most probable first; what is left open takes all that the list has.

        Give a stem, and affixes (`"w- Al- -hm"`) or not; or a root, a template (`"–i–A–"`, `"C1iC2AC3"`) or both, and affixes if the
        word has some (`"all"`: every frame). `random` draws that many words from the posterior predictive distribution instead; with
        `new`, only words that are not in the list, each once.
        """
        generator = Generator(self.paradigm_builder(), self.posterior.is_known, self._readings)
        if random is None:
            return generator.make(self._one(root), template, self._one(stem), affixes, limit)
        if any(part is not None for part in (root, template, stem, affixes)):
            raise SettingsError("random words are drawn whole: give no stem, root, template or affixes with them")
        return self._random_words(generator, random, new, check_seed(seed))

    def sketch(self, title: str | None = None, limit: int = 20, progress: ProgressOption = None) -> Sketch:
        """A grammar sketch: affixes, templates, paradigms, alternations and doubts as a report, `limit` rows per table.

        `print(sketch)` shows Markdown, `sketch.save("sketch.html")` writes a web page.
        """
        from binyan.morphology.sketch.sketch import Learning, Sketch, pictured_words

        builder = self.paradigm_builder(progress)
        if not builder.words:
            raise InputError(f"the grammar {self.grammar.name} derives none of the words: there is nothing to describe")
        trees = [self.posterior.trees(word, 1)[0][0] for word in pictured_words(builder.words)]
        learning = Learning(self.grammar, self._learning_figures(), self.posterior.unparsable)
        return Sketch(title or f"Grammar sketch: {self.grammar.name}", builder, learning, trees, limit)

    def _learning_figures(self) -> dict[str, str]:
        """How the words were learnt from, in words and figures."""
        settings, words = self.settings, self.posterior.words
        try:
            figures = self.summary()
            done, agreement = (
                figures["sweeps"],
                f"{figures['agreement']:.0%} of words have the same best tree in all chains",
            )
        except ModelFileError:
            done, agreement = settings.sweeps, "not known: the model was saved without its chains"
        if settings.chains == 1:
            agreement = "one chain has nothing to agree with"
        return {
            "grammar": self.grammar.name,
            "words": f"{len(words):,}, of {len(words.alphabet)} letters",
            "words the grammar cannot derive": f"{len(self.posterior.unparsable):,}",
            "sweeps": f"{done:,} in each of {settings.chains} chains, samples taken after {settings.burned:,}",
            "states kept for new words": f"{len(self.posterior.snapshots)}",
            "agreement": agreement,
            "seed": str(settings.seed),
        } | self._known_figures()

    def _known_figures(self) -> dict[str, str]:
        known = self.posterior.knowledge
        if not known:
            return {"known beforehand": "nothing but the words"}
        strength = "" if known.strength is None else f", each counting for {known.strength} uses"
        return {
            "known beforehand": f"{len(known.words):,} analysed words, {len(known.morphemes):,} morphemes{strength}"
        }

    def _random_words(self, generator: Generator, n: int, new: bool, seed: int) -> GeneratedForms:
        if not 1 <= n <= _MOST_DRAWN:
            raise SettingsError(f"1 to {_MOST_DRAWN:,} words can be drawn, not {n}")
        source = RandomWords(self.posterior, seed)
        forms: list[GeneratedForm] = []
        known: set[str] = set()
        with Progress("words drawn", n) as progress:
            for _ in range(n * (_TRIES if new else 1)):
                tree = source.draw_tree()
                word = tree.word()
                if new and (word in known or self.posterior.is_known(word)):
                    continue
                known.add(word)
                forms.append(generator.drawn(word, read(tree, self.grammar)))
                progress.advance()
                if len(forms) == n:
                    break
        return GeneratedForms(tuple(forms), n - len(forms), str(self.signature()))

    def word_readings(self, progress: ProgressOption = None) -> tuple[WordReading, ...]:
        """The stem and frame, root and template of every word of the list, with their probabilities."""
        return tuple(self.paradigm_builder(progress).words)

    def paradigm_builder(self, progress: ProgressOption = None) -> ParadigmBuilder:
        """The words of the list read off, which is done once."""
        if self._read is None or self._read[0] is not self.posterior:
            posterior = self.posterior
            words = tuple(read_words(posterior.words.words, posterior.trees, self.grammar, progress))
            builder = ParadigmBuilder(words, posterior.log_probability, posterior.words.atoms, str(self.signature()))
            self._read = posterior, builder
        return self._read[1]

    def _readings(self, word: str) -> list[tuple[Reading, float]]:
        sums: dict[Reading, float] = {}
        for tree, probability in self.posterior.trees(word, _TREES):
            reading = read(tree, self.grammar)
            sums[reading] = sums.get(reading, 0.0) + probability
        return list(sums.items())

    def _one(self, text: Any) -> Any:
        """A stem or root as the model sees it: prepared as words are."""
        if not text:
            return text
        parts = self.posterior.words.preparation(text)
        if len(parts) != 1:
            raise SettingsError(f"{text!r} is not one stem or root: give it without spaces")
        return parts[0]
