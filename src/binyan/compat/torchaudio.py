"""Every model of the toolkit in torchaudio's CTC decoder, which is Flashlight's.

    from binyan.compat.torchaudio import build_ctc_decoder
    decoder = build_ctc_decoder(tokens, "mixture.binyan", lm_weight=1.5)
    decoder(emissions)[0][0].words

The decoder finds words of a lexicon. Those that a model never saw are scored by it where it can (hpylm+c, hpylm+g, and all models
trained with `--vocabulary open`); of all others, P(<unk>) is shared.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from torchaudio.models.decoder import CTCDecoder, CTCDecoderLM, CTCDecoderLMState, ctc_decoder

from binyan.compat import kenlm
from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.language_model import LanguageModel
from binyan.text.vocabulary import END, UNKNOWN
from binyan.translation.rescoring import unknown_weight


class DecoderLanguageModel(CTCDecoderLM):  # type: ignore[misc]  # torchaudio has no types
    """A model as torchaudio's `CTCDecoderLM`. `words` has the words of the decoder by their numbers.

    Scores are log10, as those of KenLM's models are there, so that weights keep their meaning. `unknown_offset` is added for words that have no
    probability of their own: by default minus the logarithm of how many such words there may be.
    """

    def __init__(
        self, model: PathLike | LanguageModel, words: Iterable[str], unknown_offset: float | None = None
    ) -> None:
        super().__init__()
        self._scorer = kenlm.Model(model)
        language_model = self._scorer.language_model
        if unknown_offset is None:
            unknown_offset = unknown_weight(language_model) / math.log(10)
        self._words = list(words)
        self._offsets = [0.0 if word in self._scorer else unknown_offset for word in self._words]
        self._states: dict[CTCDecoderLMState, kenlm.State] = {}
        self._scores: dict[CTCDecoderLMState, float] = {}

    def start(self, start_with_nothing: bool = False) -> CTCDecoderLMState:
        """The state before the first word of an utterance."""
        self._states, self._scores = {}, {}
        state, own = CTCDecoderLMState(), kenlm.State()
        (self._scorer.NullContextWrite if start_with_nothing else self._scorer.BeginSentenceWrite)(own)
        self._states[state] = own
        return state

    def score(self, state: CTCDecoderLMState, usr_token_idx: int) -> tuple[CTCDecoderLMState, float]:
        """The state after a word, and the log10 probability of the word."""
        if not 0 <= usr_token_idx < len(self._words):
            raise SettingsError(
                f"word number {usr_token_idx} of {len(self._words)}: give the model the decoder's words"
            )
        after = state.child(usr_token_idx)
        if after not in self._states:
            own = kenlm.State()
            log10_prob = self._scorer.BaseScore(self._states[state], self._words[usr_token_idx], own)
            self._states[after], self._scores[after] = own, log10_prob + self._offsets[usr_token_idx]
        return after, self._scores[after]

    def finish(self, state: CTCDecoderLMState) -> tuple[CTCDecoderLMState, float]:
        """The log10 probability of the end of the utterance."""
        return state, self._scorer.BaseScore(self._states[state], END, kenlm.State())


def build_ctc_decoder(
    tokens: Sequence[str],
    model: PathLike | LanguageModel,
    words: Iterable[str] | None = None,
    *,
    unknown_offset: float | None = None,
    **options: Any,
) -> CTCDecoder:
    """A decoder for the outputs of a network over `tokens`, one of which is the silence between words and one the blank.

    `words` is the lexicon, spelt by its letters: by default all words the model knows or can make. Words with other letters than `tokens` has are left out.
    `options` are those of torchaudio's `ctc_decoder`.
    """
    loaded = model if isinstance(model, LanguageModel) else kenlm.Model(model).language_model
    silence, letters = options.get("sil_token", "|"), {t for t in tokens if len(t) == 1}
    chosen = [*loaded.vocabulary.own_words, *loaded.further_words()] if words is None else words
    spelt = [word for word in dict.fromkeys(chosen) if word and letters.issuperset(word) and silence not in word]
    if not spelt:
        raise SettingsError("no word is spelt with the tokens of the decoder: are they letters, as the words are?")
    numbered = [*spelt, UNKNOWN]
    with tempfile.TemporaryDirectory() as folder:
        lexicon, dictionary = Path(folder) / "lexicon.txt", Path(folder) / "words.txt"
        spellings = [f"{word}\t{' '.join([*word, silence])}\n" for word in spelt]
        lexicon.write_text("".join(spellings), encoding="utf-8")
        dictionary.write_text("".join(f"{word}\n" for word in numbered), encoding="utf-8")
        language_model = DecoderLanguageModel(loaded, numbered, unknown_offset)
        return ctc_decoder(str(lexicon), list(tokens), lm=language_model, lm_dict=str(dictionary), **options)
