"""What a morphology says of many words at once: what the commands of `binyan morph` print, as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from binyan.files import PathLike, write_text
from binyan.grammar.drawing import draw_html
from binyan.morphology.adaptor import AdaptorSampler, trace_columns
from binyan.morphology.analysis import Analysis
from binyan.morphology.lexicon import lexicon
from binyan.segmentation import Segmentation, SegmentationTable

_UNUSED_SHOWN = 10  # known morphemes listed that no word uses

_LISTED = 5  # words of a message
_MUCH = 0.95
_ALL_BUT_ALL = 0.9995  # a share that is not printed as 100.0%


@dataclass(frozen=True, repr=False)
class WordAnalyses(Sequence[Analysis]):
    """The analyses of one word, best first; none where the grammar cannot derive it."""

    word: str
    analyses: tuple[Analysis, ...]
    signature: str

    @overload
    def __getitem__(self, place: int) -> Analysis: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Analysis]: ...
    def __getitem__(self, place: int | slice) -> Analysis | Sequence[Analysis]:
        return self.analyses[place]

    def __len__(self) -> int:
        return len(self.analyses)

    def __repr__(self) -> str:
        return repr(list(self.analyses))

    @property
    def covered(self) -> float:
        """The share of the word's probability that these analyses have; the rest is that of analyses not listed."""
        return min(1.0, sum(a.probability for a in self.analyses))

    def __str__(self) -> str:
        listed = [f"{a.probability:.4f}  {a.segmentation}\n{a.tree}" for a in self.analyses]
        if self.covered < _ALL_BUT_ALL:
            listed.append(f"shown: {self.covered:.1%} of the word's probability")
        return "\n\n".join(listed)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        analyses = [
            {"tree": a.tree.discbracket(), "segmentation": str(a.segmentation), "probability": a.probability}
            for a in self.analyses
        ]
        return {"word": self.word, "analyses": analyses, "covered": self.covered, "signature": self.signature}

    def save_html(self, path: PathLike) -> None:
        """Write the trees as a web page."""
        captions = [(a.tree, f"{a.segmentation}, probability {a.probability:.3f}") for a in self.analyses]
        write_text(path, draw_html(captions, self.word))


def _some(words: list[str]) -> str:
    return ", ".join(words[:_LISTED]) + (", ..." if len(words) > _LISTED else "")


@dataclass(frozen=True, repr=False)
class SegmentedWords(Mapping[str, list[Segmentation]]):
    """The most probable segmentations of each word, best first, with their probabilities."""

    segmentations: Mapping[str, list[Segmentation]]
    signature: str

    def __getitem__(self, word: str) -> list[Segmentation]:
        return self.segmentations[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.segmentations)

    def __len__(self) -> int:
        return len(self.segmentations)

    def __repr__(self) -> str:
        return f"<SegmentedWords: {len(self):,} words, {len(self.without_analysis):,} without an analysis>"

    @property
    def without_analysis(self) -> list[str]:
        """The words that the grammar cannot derive."""
        return [word for word, listed in self.segmentations.items() if not listed]

    def covered(self, word: str) -> float:
        """The share of a word's probability that its listed segmentations have; the rest is that of others."""
        return min(1.0, sum(s.probability or 0.0 for s in self.segmentations[word]))

    @property
    def table(self) -> SegmentationTable:
        """The best segmentation of each word; words without an analysis are left out."""
        return SegmentationTable(listed[0] for listed in self.segmentations.values() if listed)

    @property
    def warning(self) -> str:
        """Which words have no analysis, and which have much more probability than is listed; empty where there are none."""
        without = self.without_analysis
        messages = [f"no analysis for {len(without)} of {len(self)} words: {_some(without)}"] if without else []
        several = [word for word, listed in self.segmentations.items() if len(listed) > 1]
        partly = [f"{word} ({self.covered(word):.0%})" for word in several if self.covered(word) < _MUCH]
        if partly:
            messages.append(
                f"less than {_MUCH:.0%} of the probability is listed for {len(partly)} words: {_some(partly)}"
            )
        return "; ".join(messages)

    def __str__(self) -> str:
        """One segmentation per line: word, parts, probability."""
        return "\n".join(f"{s.word}\t{s}\t{s.probability:.4f}" for listed in self.values() for s in listed)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        words = [
            {"word": word, "analyses": [_segmentation_fields(s) for s in listed], "covered": self.covered(word)}
            for word, listed in self.segmentations.items()
        ]
        return {"words": words, "without_analysis": self.without_analysis, "signature": self.signature}


def _segmentation_fields(s: Segmentation) -> dict[str, Any]:
    parts = [
        {"text": part.text, "label": part.label, "positions": list(places)}
        for part, places in zip(s.parts, s.positions, strict=True)
    ]
    return {"segmentation": str(s), "probability": s.probability, "parts": parts}


def learning_summary(sampler: AdaptorSampler) -> dict[str, Any]:
    """How a sampler ended: the last figures of its chains, and how far these agree."""
    columns = trace_columns(sampler.compiled)
    return {
        "words": len(sampler.words) - len(sampler.unparsable),
        "unparsable": len(sampler.unparsable),
        "sweeps": sampler.sweeps,
        "memory_mb": sampler.memory_mb,
        "chains": [dict(zip(columns, trace[-1].tolist(), strict=True)) for trace in sampler.trace_tables],
        "r_hat": sampler.r_hat,
        "agreement": sampler.agreement(),
        "convergence": None if (convergence := sampler.convergence()) is None else convergence.to_dict(),
        "signature": str(sampler.signature()),
        **({"known": _known_summary(sampler)} if sampler.knowledge else {}),
    }


def _known_summary(sampler: AdaptorSampler) -> dict[str, Any]:
    contradictions = [str(contradiction) for contradiction in sampler.applied.contradictions]
    used = {"words_used": len({*sampler.applied.evidence, *(w for g in sampler.applied.shared_stems for w in g[0])})}
    return {
        **sampler.knowledge.summary(),
        **used,
        "contradictions": contradictions,
        "never_used": _never_used(sampler),
    }


def _never_used(sampler: AdaptorSampler) -> list[str]:
    """Known morphemes that no word uses in any kept state."""
    states = [snapshot for state in sampler.states for snapshot in state.snapshots]
    if not states:
        return []
    beforehand = sampler.applied.uses_beforehand
    return sampler.applied.never_used(
        lambda symbol: {
            entry.strings for entry in lexicon(sampler.compiled, symbol, states, lambda: (), "", beforehand)
        }
    )


def _described_knowledge(known: Mapping[str, Any]) -> str:
    text = f"known beforehand: {known['words_used']:,} words, {known['morphemes']:,} morphemes"
    if known["strength"] is not None:
        chosen = " (chosen on words held back)" if known["bits_by_strength"] else ""
        text += f", each counted {known['strength']:,} times{chosen}"
    text += f"; {len(known['contradictions']):,} left out" if known["contradictions"] else ""
    if unused := known["never_used"]:
        more = f" and {len(unused) - _UNUSED_SHOWN:,} more" if len(unused) > _UNUSED_SHOWN else ""
        text += f"; never used: {', '.join(unused[:_UNUSED_SHOWN])}{more}"
    return text


def describe_learning(sampler: AdaptorSampler) -> str:
    """The same in lines of text."""
    summary = learning_summary(sampler)
    lines = []
    for number, chain in enumerate(summary["chains"]):
        tables = ", ".join(f"{n.split()[1]} {int(v):,}" for n, v in chain.items() if n.startswith("tables"))
        lines.append(
            f"chain {number}: log joint probability {chain['log_joint']:,.1f}, accepted "
            f"{100 * chain['acceptance']:.1f}%, morphemes: {tables}"
        )
    if sampler.stopped is not None:
        lines.append(
            f"stopped by itself: stable after {sampler.stopped:,} sweeps, {sampler.sweeps:,} with those collected"
        )
    convergence = sampler.convergence()
    lines.append("Too few sweeps to say whether the chains agree." if convergence is None else str(convergence))
    lines += [_described_knowledge(summary["known"])] if "known" in summary else []
    return "\n".join([*lines, summary["signature"]])
