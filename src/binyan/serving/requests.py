"""What is asked of a scoring service: read from JSON, checked and bounded before anything is scored.

A request is an object with `text`, a sentence, or `texts`, a list of them; further `model`, where the service has several; `words`, whether
every word's score is wanted; and `id`, which comes back with the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from binyan.errors import InputError
from binyan.json_text import check_sentence, json_object, request_id
from binyan.language_model import LanguageModel
from binyan.text.reading import check_length
from binyan.text.vocabulary import refuse_boundaries

MOST_TEXTS = 1000  # of one request
MOST_CHARACTERS = 50_000  # of all its texts together
MOST_BYTES = 1_000_000  # of a request as a line of JSON
_FIELDS = ("id", "model", "text", "texts", "words")


@dataclass(frozen=True)
class ScoreRequest:
    """Sentences to score, prepared for a model."""

    model: str
    sentences: Sequence[Sequence[str]]
    words: bool = False
    id: str | int | float | None = None


def parse_request(body: str | bytes, models: Mapping[str, LanguageModel]) -> ScoreRequest:
    """The request that some JSON is. Raises InputError, which says what is wrong with it."""
    if len(body) > MOST_BYTES:
        raise InputError(f"a request has at most {MOST_BYTES:,} bytes")
    fields = json_object(body)
    if strange := [name for name in fields if name not in _FIELDS]:
        raise InputError(f"a request has no field {strange[0][:40]!r}; there are {', '.join(_FIELDS)}")
    name = _model_name(fields.get("model"), models)
    words = fields.get("words", False)
    if not isinstance(words, bool):
        raise InputError("'words' is true or false")
    model = models[name]
    return ScoreRequest(name, [_prepared(text, model) for text in _texts(fields)], words, request_id(fields))


def _model_name(given: Any, models: Mapping[str, LanguageModel]) -> str:
    if given is None and len(models) == 1:
        return next(iter(models))
    if not isinstance(given, str) or given not in models:
        raise InputError(f"'model' is one of {', '.join(models)}")
    return given


def _texts(fields: Mapping[str, Any]) -> list[str]:
    if ("text" in fields) == ("texts" in fields):
        raise InputError("a request has either 'text', a sentence, or 'texts', a list of sentences")
    texts = [fields["text"]] if "text" in fields else fields["texts"]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError("'text' is a string, and 'texts' a list of strings")
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise InputError(f"a request has 1 to {MOST_TEXTS:,} sentences, not {len(texts):,}")
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise InputError(f"the sentences of a request have at most {MOST_CHARACTERS:,} characters together")
    return texts


def _prepared(text: str, model: LanguageModel) -> list[str]:
    check_sentence(text)
    words = model.preparation(text)
    for word in words:
        check_length(word)
    refuse_boundaries(words)
    return words
