"""Every model of the toolkit in pyctcdecode's beam search, and so in Hugging Face's `Wav2Vec2ProcessorWithLM`.

    from binyan.compat.pyctcdecode import build_ctcdecoder
    decoder = build_ctcdecoder(labels, "mixture.binyan")
    decoder.decode(logits)

pyctcdecode gives all unknown words one penalty. A model with an open vocabulary gives them probabilities of their own, which are
used here: hpylm+c and hpylm+g those of compounds, models trained with `--vocabulary open` those of all strings. Only words that the
model cannot make either are penalised, while they are being spelt and when they are whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyctcdecode.alphabet import Alphabet
from pyctcdecode.constants import DEFAULT_ALPHA, DEFAULT_BETA, DEFAULT_UNK_LOGP_OFFSET
from pyctcdecode.decoder import BeamSearchDecoderCTC
from pyctcdecode.language_model import LanguageModel as KenlmLanguageModel

from binyan.compat import kenlm
from binyan.files import PathLike
from binyan.language_model import STRINGS, LanguageModel


class DecoderLanguageModel(KenlmLanguageModel):  # type: ignore[misc]  # pyctcdecode has no types
    """A model as pyctcdecode's `LanguageModel`. `alpha` weighs it, `beta` is given for every word."""

    def __init__(
        self,
        model: PathLike | LanguageModel,
        alpha: float = DEFAULT_ALPHA,
        beta: float = DEFAULT_BETA,
        unk_score_offset: float = DEFAULT_UNK_LOGP_OFFSET,
        score_boundary: bool = True,
    ) -> None:
        scorer = kenlm.Model(model)
        words = [*scorer.language_model.vocabulary.own_words, *scorer.language_model.further_words()]
        super().__init__(scorer, words, alpha, beta, unk_score_offset, score_boundary)

    def get_start_state(self) -> kenlm.State:
        """The state before the first word."""
        state = kenlm.State()
        (self._kenlm_model.BeginSentenceWrite if self.score_boundary else self._kenlm_model.NullContextWrite)(state)
        return state

    def score(self, prev_state: kenlm.State, word: str, is_last_word: bool = False) -> tuple[float, kenlm.State]:
        """The weighed natural log-probability of a word, with the end of the text if it is the last one."""
        after = kenlm.State()
        log10_prob = self._kenlm_model.BaseScore(prev_state, word, after)
        if word not in self._unigram_set and word not in self._kenlm_model:
            log10_prob += self.unk_score_offset
        if is_last_word and self.score_boundary:
            log10_prob += self._kenlm_model.BaseScore(after, "</s>", kenlm.State())
        return self.alpha * log10_prob * kenlm.LOG_10 + self.beta, after

    def score_partial_token(self, partial_token: str) -> float:
        """The penalty of a word that is being spelt: none where every string has a probability."""
        if self._kenlm_model.language_model.events == STRINGS:
            return 0.0
        return float(super().score_partial_token(partial_token))


def build_ctcdecoder(labels: Sequence[str], model: PathLike | LanguageModel, **options: Any) -> BeamSearchDecoderCTC:
    """A decoder for the outputs of a network over `labels`, as pyctcdecode's own function of this name makes for KenLM's files.

    `options` are those of `DecoderLanguageModel`: alpha, beta, unk_score_offset, score_boundary.
    """
    return BeamSearchDecoderCTC(Alphabet.build_alphabet(list(labels)), DecoderLanguageModel(model, **options))
