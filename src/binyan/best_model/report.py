"""What was trained, how good each part is, and what the best model came to be."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from binyan.language_model import LanguageModel


@dataclass(frozen=True)
class TrainedPart:
    """A candidate, trained or left out; `note` says why it was tried or why it was left out.

    `perplexity` is that of the development text, with P(<unk>) fitted to it, None where it was left out. `seconds` are by the clock; what was
    expected is time of the processor where that is less.
    """

    name: str
    perplexity: float | None
    seconds: float
    processor_seconds: float
    estimated_seconds: float | None
    note: str

    def __str__(self) -> str:
        if self.perplexity is None:
            return f"{self.name}: {self.note}"
        expected = "" if self.estimated_seconds is None else f" (expected {self.estimated_seconds:.0f})"
        took = f"{self.seconds:.0f} s, {self.processor_seconds:.0f} of the processor{expected}"
        return f"{self.name}: development perplexity {self.perplexity:.2f} after {took}; {self.note}"


@dataclass(frozen=True)
class BestModel:
    """The best `model` of those that were trained: one of the `parts`, or a mixture of some by context."""

    model: LanguageModel
    parts: tuple[TrainedPart, ...]
    chosen: str
    reason: str
    development: str
    seconds: float
    processor_seconds: float
    unknown_words: str | None = None  # how P(<unk>) was fitted, where it was

    def save(self, path: Any) -> None:
        """Write the model to one file."""
        self.model.save(path)

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "chosen": self.chosen,
            "reason": self.reason,
            "development": self.development,
            "parts": [asdict(part) for part in self.parts],
            "unknown_words": self.unknown_words,
            "seconds": self.seconds,
            "processor_seconds": self.processor_seconds,
            **self.model.summary(),
            "signature": str(self.model.signature()),
        }

    def __str__(self) -> str:
        lines = [f"development text: {self.development}", *map(str, self.parts)]
        if self.unknown_words:
            lines.append(f"unknown words: {self.unknown_words}")
        took = f"{self.seconds:.0f} s in all, {self.processor_seconds:.0f} of the processor"
        return "\n".join([*lines, f"chosen: {self.chosen}, {self.reason}; {took}"])
