"""What a person takes away: analyses in every format, interlinear text, a report; each also as a command line."""

from __future__ import annotations

import io
import json
import shlex
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binyan.errors import InputError
from binyan.morphology.exports import ANALYSIS_FORMATS, AnalysedWord, AnalysedWords, write_analyses
from binyan.morphology.exports.analysed_words import UNKNOWN_LANGUAGE
from binyan.morphology.exports.interlinear import gloss_line, interlinear_text, morpheme_line
from binyan.segmentation import Segmentation
from binyan.studio.models import ModelCache
from binyan.studio.project import Project

_ENDINGS = {
    "lift": "lift", "flextext": "flextext", "cldf": "zip", "tsv": "tsv", "json": "json", "morfessor": "txt",
    "unimorph": "tsv", "conllu": "conllu", "igt": "txt", "fst": "att", "words": "txt", "known": "tsv", "glosses": "tsv",
    "grammar": "grammar", "sketch": "html", "model": "binyan", "run": "json",
}  # fmt: skip
DOWNLOADS = tuple(_ENDINGS)
"""Everything that can be downloaded."""

_MOST_SENTENCES = 200  # on the page


@dataclass(frozen=True)
class Download:
    """A file to take away."""

    name: str
    content: bytes
    media_type: str = "application/octet-stream"


class Results:
    """The results of a project: decisions where there are any, else what a run says."""

    def __init__(self, project: Project, models: ModelCache) -> None:
        self._project, self._models = project, models

    def analysed(self, run: int | None, words: Iterable[str] | None = None) -> list[AnalysedWord]:
        """Every word with its analysis: the decision of a person, or the best of a run."""
        rows = self._project.database.rows(
            "SELECT w.text, w.count, a.segmentation, a.probability, a.root, a.template, d.value FROM words w"
            " LEFT JOIN analyses a ON a.word_id = w.id AND a.run_id = ?"
            " LEFT JOIN facts d ON d.entity = 'decision' AND d.key = w.text ORDER BY w.count DESC, w.id",
            -1 if run is None else run,
        )
        wanted = None if words is None else set(words)
        return [_analysed(row) for row in rows if wanted is None or row["text"] in wanted]

    def analysed_words(self, run: int | None, sentences: tuple[tuple[str, ...], ...] | None = None) -> AnalysedWords:
        """The same, ready to be written in any format."""
        rows = self.analysed(run, None if sentences is None else (w for s in sentences for w in s))
        known = {row.word for row in rows}
        more = dict.fromkeys(w for s in sentences or () for w in s if w not in known)
        language = str(self._project.setting("language", "") or UNKNOWN_LANGUAGE)
        glosses = {
            key: str(value["gloss"]) for key, value in self._project.facts.all("gloss").items() if value.get("gloss")
        }
        return AnalysedWords((*rows, *map(AnalysedWord, more)), language, glosses, sentences, f"studio run {run}")

    def sentences(self, limit: int | None = None) -> tuple[tuple[str, ...], ...]:
        """The sentences of the project's texts, prepared as its words are."""
        prepare = self._project.word_preparation.preparation()
        query = "SELECT text FROM sentences ORDER BY source_id, place" + ("" if limit is None else f" LIMIT {limit:d}")
        prepared = (tuple(prepare(row["text"])) for row in self._project.database.rows(query))
        return tuple(sentence for sentence in prepared if sentence)

    def interlinear(self, run: int | None, text: str = "") -> list[list[dict[str, str]]]:
        """Sentences by the Leipzig rules: of the project's texts, or of a text that is given. Each word has word, morphemes, gloss."""
        prepare = self._project.word_preparation.preparation()
        if text:
            sentences = tuple(s for s in (tuple(prepare(line)) for line in text.splitlines()[:_MOST_SENTENCES]) if s)
        else:
            sentences = self.sentences(_MOST_SENTENCES)
        if not sentences:
            return []
        words = self.analysed_words(run, sentences)
        return [
            [{"word": row.word, "morphemes": morpheme_line(row), "gloss": gloss_line(row, words)} for row in sentence]
            for sentence in words.in_sentences()
        ]

    # Files.

    def download(self, format: str, run: int | None) -> Download:
        """A file in one of `DOWNLOADS`."""
        if format not in _ENDINGS:
            raise InputError(f"the downloads are {', '.join(DOWNLOADS)}, not {format[:40]!r}")
        name = f"{self._name}{'-' + format if format in ('known', 'glosses', 'words', 'sketch', 'run') else ''}.{_ENDINGS[format]}"
        if format in ANALYSIS_FORMATS:
            in_text = format in ("igt", "flextext", "conllu")
            sentences = self.sentences() if in_text else ()
            return Download(name, self._written(self.analysed_words(run, sentences or None), format))
        if format == "sketch":
            return Download(
                name, self._models.of_run(run).sketch(progress=False).to_html().encode(), "text/html; charset=utf-8"
            )
        if format == "model":
            self._models.of_run(run)
            assert run is not None
            return Download(name, self._project.model_path(run).read_bytes())
        if format == "fst":
            with tempfile.TemporaryDirectory() as folder:
                self._models.of_run(run).to_fst(progress=False).save(Path(folder) / name)
                return Download(name, (Path(folder) / name).read_bytes())
        return Download(name, "".join(self._lines(format, run)).encode())

    def _lines(self, format: str, run: int | None) -> Iterator[str]:
        if format == "words":
            listed = self._project.word_list()
            yield from (f"{word}\t{count}\n" for word, count in zip(listed.words, listed.counts, strict=True))
        elif format == "known":
            for word, decision in sorted(self._project.decisions().items()):
                yield AnalysedWord(word, decision.segmentation, decision.root).gold_row + "\n"
        elif format == "glosses":
            for key, value in sorted(self._project.facts.all("gloss").items()):
                if value.get("gloss"):
                    yield f"{key}\t{value['gloss']}\n"
        elif format == "grammar":
            if run is None:
                raise InputError("no run has been made yet")
            from binyan.grammar.notation import grammar_text

            settings = self._project.runs.get(run).settings
            yield settings.get("text") or grammar_text(settings["grammar"])[1]
        else:
            if run is None:
                raise InputError("no run has been made yet")
            yield json.dumps(self._project.runs.get(run).to_dict(), ensure_ascii=False, indent=1) + "\n"

    @staticmethod
    def _written(words: AnalysedWords, format: str) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out"
            write_analyses(words, path, format)
            if path.is_file():
                return path.read_bytes()
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in sorted(path.iterdir()):
                    archive.write(file, file.name)
            return packed.getvalue()

    @property
    def _name(self) -> str:
        title = str(self._project.setting("title", "") or self._project.folder.resolve().name)
        return "".join(c if c.isalnum() or c in "-_" else "-" for c in title)[:60].strip("-") or "project"

    # Command lines.

    def commands(self, run: int | None) -> dict[str, str]:
        """How the same is done on the command line, by download; "learn" is how the model was learnt."""
        if run is None:
            return {}
        model, name = f"{self._name}.binyan", self._name
        settings = self._project.runs.get(run).settings
        language = str(self._project.setting("language", "") or UNKNOWN_LANGUAGE)
        grammar = f"{name}.grammar" if settings.get("text") else str(settings["grammar"])
        learn = ["binyan", "morph", "learn", f"{name}-words.txt", "--grammar", grammar, "--known", f"{name}-known.tsv"]
        learn += ["--sweeps", str(settings.get("sweeps")), "--chains", str(settings.get("chains", 2)), "--out", model]
        commands = {"learn": learn}
        for format in ANALYSIS_FORMATS:
            commands[format] = ["binyan", "morph", "export", model, "--format", format, "--language", language]
            commands[format] += ["--glosses", f"{name}-glosses.tsv", "--out", f"{name}.{_ENDINGS[format]}"]
        commands["fst"] = ["binyan", "morph", "export", model, "--format", "fst", "--out", f"{name}.att"]
        commands["sketch"] = ["binyan", "morph", "sketch", model, "--out", f"{name}-sketch.html"]
        commands["paradigms"] = ["binyan", "morph", "paradigms", model]
        return {key: shlex.join(words) for key, words in commands.items()}

    def igt_text(self, run: int | None) -> str:
        """The project's texts as interlinear text."""
        return interlinear_text(self.analysed_words(run, self.sentences()))


def _analysed(row: Any) -> AnalysedWord:
    word, count = row["text"], row["count"]
    if row["value"] is not None:
        decided = json.loads(row["value"])
        same = decided["segmentation"] == row["segmentation"]
        return AnalysedWord(
            word,
            Segmentation.parse(word, decided["segmentation"]),
            decided["root"],
            row["template"] if same else None,
            count,
        )
    if row["segmentation"] is None:
        return AnalysedWord(word, count=count)
    return AnalysedWord(word, Segmentation.parse(word, row["segmentation"]), row["root"], row["template"], count)
