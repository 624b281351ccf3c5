"""Requests answered together: whatever waits for a model is scored in one batch."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from binyan.errors import SettingsError
from binyan.files import PathLike
from binyan.json_values import finite
from binyan.language_model import END, LanguageModel, Scores, load
from binyan.serving.requests import ScoreRequest

MOST_WAITING = 1000  # requests
MOST_EVENTS = 200_000  # words of one batch
_LOG_10 = math.log(10)


class BusyError(Exception):
    """More is asked than can be answered."""


class ScoringService:
    """Language models that score sentences for others, by the names of their files.

    >>> from binyan import KneserNey
    >>> import warnings; warnings.simplefilter("ignore")  # so small a text takes the fallback discounts
    >>> service = ScoringService({"small": KneserNey(order=2).fit(["a b", "a c"])})
    >>> (answer,) = service.answer([ScoreRequest("small", [["a", "b"]])])
    >>> answer["scores"][0]["words"], answer["scores"][0]["unknown"]
    (3, 0)
    """

    def __init__(self, models: Mapping[str, LanguageModel]) -> None:
        if not models:
            raise SettingsError("a service needs a language model")
        self.models = dict(models)

    @classmethod
    def load(cls, paths: Iterable[PathLike]) -> ScoringService:
        """Open model files; each is called by its name without folder and ending."""
        models: dict[str, LanguageModel] = {}
        for path in paths:
            name = Path(path).stem
            if name in models:
                raise SettingsError(f"two models are called {name!r}; rename one of the files")
            models[name] = load(path)
        return cls(models)

    def answer(self, requests: Sequence[ScoreRequest]) -> list[dict[str, Any]]:
        """The answers to requests, in their order; those to one model are scored together."""
        answers: list[dict[str, Any]] = [{} for _ in requests]
        for name, model in self.models.items():
            places = [i for i, request in enumerate(requests) if request.model == name]
            sentences = [sentence for i in places for sentence in requests[i].sentences]
            if not sentences:
                continue
            scores, at = model.score_sentences(sentences), 0
            for i in places:
                number = len(requests[i].sentences)
                answers[i] = _answer(requests[i], scores, at)
                at += number
        return answers

    def describe(self) -> list[dict[str, Any]]:
        """The models: their names, what they are, and how they were made."""
        return [
            {"name": name, "description": model.description, "signature": str(model.signature())}
            for name, model in self.models.items()
        ]


def _answer(request: ScoreRequest, scores: Scores, first: int) -> dict[str, Any]:
    """The answer to a request whose sentences are those of `scores` from `first`."""
    rows = []
    for i, sentence in enumerate(request.sentences, first):
        events = slice(int(scores.offsets[i]), int(scores.offsets[i + 1]))
        log10 = scores.log_prob[events] / _LOG_10
        row: dict[str, Any] = {
            "log10_prob": float(log10.sum()),
            "words": len(log10),
            "unknown": int(np.count_nonzero(scores.unknown[events])),
        }
        if request.words:
            columns = zip((*sentence, END), log10, scores.matched[events], scores.unknown[events], strict=True)
            row["scores"] = [
                {"word": word, "log10_prob": float(p), "matched": int(matched), "unknown": bool(unknown)}
                for word, p, matched, unknown in columns
            ]
        rows.append(row)
    answer: dict[str, Any] = {"model": request.model, "scores": rows}
    answered: dict[str, Any] = finite(answer if request.id is None else {"id": request.id, **answer})
    return answered


class Batcher:
    """Gathers requests that come while others are scored, and has them scored together by a thread."""

    def __init__(self, service: ScoringService) -> None:
        self._service = service
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scoring")
        self._waiting: list[tuple[ScoreRequest, asyncio.Future[dict[str, Any]]]] = []
        self._working: asyncio.Task[None] | None = None
        self.batches = 0

    async def answer(self, request: ScoreRequest) -> dict[str, Any]:
        """The answer to a request; BusyError where too many wait."""
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING:,} requests wait already; try again later")
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            requests = [request for request, _ in batch]
            self.batches += 1
            try:
                answers = await asyncio.get_running_loop().run_in_executor(self._thread, self._service.answer, requests)
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():  # the one who asked may have gone
                    future.set_result(answer)

    def _next_batch(self) -> list[tuple[ScoreRequest, asyncio.Future[dict[str, Any]]]]:
        """What waits, up to the most words of a batch, but at least one request."""
        events = count = 0
        for request, _ in self._waiting:
            events += sum(len(sentence) + 1 for sentence in request.sentences)
            if count and events > MOST_EVENTS:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch
