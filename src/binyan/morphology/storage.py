"""Models and checkpoints of adaptor grammars in files. One kind, "adaptor": with the chains' states learning can go on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from binyan import _core, model_file
from binyan.errors import ModelFileError, SettingsError
from binyan.grammar.compiled import Compiled
from binyan.grammar.rules import Adaptation, Grammar, Rule, Variable
from binyan.model_file import ModelFile, Section
from binyan.morphology.adaptor import AdaptorSampler, ChainState
from binyan.morphology.segmenter import Segmenter, Snapshot
from binyan.morphology.settings import Settings
from binyan.morphology.word_list import WordList
from binyan.text.preparation import Preparation

KIND = "adaptor"


def save_segmenter(segmenter: Segmenter, path: str | os.PathLike[str]) -> None:
    """The model without chains."""
    meta, sections = _model(segmenter)
    model_file.save(path, KIND, meta, sections)


def save_sampler(sampler: AdaptorSampler, path: str | os.PathLike[str]) -> None:
    """The model and the state of every chain: `load_sampler` goes on bit for bit."""
    meta, sections = _model(sampler.freeze())
    meta |= {"settings": sampler.settings.to_dict(), "sweeps": sampler.sweeps, "r_hat": sampler.r_hat}
    for state in sampler.states:
        own: dict[str, Section] = {
            "state": state.core.state(),
            "samples": state.samples.state(),
            "trace": np.array(state.trace, np.float64).reshape(state.sweeps, -1),
        }
        for i, snapshot in enumerate(state.snapshots):
            own |= {f"snapshot.{i}.{name}": array for name, array in _snapshot(snapshot).items()}
        sections |= {f"chain.{state.number}.{name}": section for name, section in own.items()}
    model_file.save(path, KIND, meta, sections)


def load_segmenter(path: str | os.PathLike[str]) -> Segmenter:
    """The frozen model of a file with or without chains."""
    file = _load(path)
    samples = _core.Samples()
    samples.restore(file.array("samples"))
    snapshots = _snapshots(file.sections, "snapshot.")
    compiled = Compiled(_grammar(file.meta["grammar"]), file.meta["atoms"])
    return Segmenter(compiled, _words(file), samples, snapshots, file.meta["signature"], tuple(file.meta["unparsable"]))


def load_sampler(path: str | os.PathLike[str], settings: Settings | None = None) -> AdaptorSampler:
    """The sampler of a checkpoint. `settings` may ask for more sweeps than before; with a burn-in beyond the sweeps done,
    what was collected so far is dropped."""
    file = _load(path)
    if "settings" not in file.meta:
        raise ModelFileError(f"{path}: the model was saved without its chains: learning cannot go on from it")
    old = Settings.from_dict(file.meta["settings"])
    new = settings or old
    for name in ("seed", "chains", "initialisation", "unparsable"):
        if getattr(new, name) != getattr(old, name):
            raise SettingsError(
                f"{path}: {name} was {getattr(old, name)} when learning began and cannot become {getattr(new, name)}"
            )
    done = file.meta["sweeps"]
    collected, wanted = ({s for s in x.kept_sweeps if s <= done} for x in (old, new))
    if wanted and wanted != collected:
        raise SettingsError(
            f"{path}: {done} sweeps are done; samples of other sweeps than those collected cannot be had any more: "
            f"set a burn-in of {done} or more"
        )
    sampler = AdaptorSampler(_grammar(file.meta["grammar"]), _words(file), new)
    for number in range(new.chains):
        prefix = f"chain.{number}."
        state: ChainState = sampler.empty(number)
        state.core.restore(file.array(f"{prefix}state"))
        state.trace = file.array(f"{prefix}trace").tolist()
        if wanted:
            state.samples.restore(file.array(f"{prefix}samples"))
            state.snapshots = _snapshots(file.sections, f"{prefix}snapshot.")
        sampler.states.append(state)
    return sampler


def _load(path: str | os.PathLike[str]) -> ModelFile:
    file = model_file.load(path)
    if file.kind != KIND:
        raise ModelFileError(f"{path}: a model of kind {file.kind!r}, not a learnt morphology ({KIND})")
    return file


def _model(segmenter: Segmenter) -> tuple[dict[str, Any], dict[str, Section]]:
    meta = {
        "grammar": _grammar_fields(segmenter.compiled.source),
        "atoms": list(segmenter.compiled.atoms),
        "preparation": segmenter.words.preparation.to_dict(),
        "unit": segmenter.words.unit,
        "signature": segmenter.signature,
        "unparsable": list(segmenter.unparsable),
    }
    sections: dict[str, Section] = {
        "words": "\n".join(segmenter.words.words).encode(),
        "counts": np.array(segmenter.words.counts, np.uint64),
        "samples": segmenter.samples.state(),
    }
    for i, snapshot in enumerate(segmenter.snapshots):
        sections |= {f"snapshot.{i}.{name}": array for name, array in _snapshot(snapshot).items()}
    return meta, sections


def _words(file: ModelFile) -> WordList:
    words = tuple(file.blob("words").decode().split("\n"))
    counts = tuple(int(n) for n in file.array("counts"))
    return WordList(words, counts, Preparation.from_dict(file.meta["preparation"]), file.meta["unit"])


def _snapshot(snapshot: Snapshot) -> dict[str, Section]:
    return {"rule_counts": snapshot.rule_counts, "adaptors": snapshot.adaptors, **snapshot.trees}


def _snapshots(sections: Mapping[str, Any], prefix: str) -> list[Snapshot]:
    found: dict[int, dict[str, Any]] = {}
    for name, section in sections.items():
        if name.startswith(prefix):
            number, _, field = name.removeprefix(prefix).partition(".")
            found.setdefault(int(number), {})[field] = section
    return [Snapshot(found[i].pop("rule_counts"), found[i].pop("adaptors"), found[i]) for i in sorted(found)]


def _grammar_fields(grammar: Grammar) -> dict[str, Any]:
    return {
        "name": grammar.name,
        "start": grammar.start,
        "rules": [
            [
                r.lhs,
                [[list(e) if isinstance(e, Variable) else e for e in a] for a in r.arguments],
                r.rhs,
                r.weight,
                r.line,
            ]
            for r in grammar.rules
        ],
        "adapted": {s: [p.a, p.b] for s, p in grammar.adapted.items()},
    }


def _grammar(fields: Mapping[str, Any]) -> Grammar:
    rules = tuple(
        Rule(
            lhs,
            tuple(tuple(e if isinstance(e, str) else Variable(*e) for e in argument) for argument in arguments),
            tuple(rhs),
            weight,
            line,
        )
        for lhs, arguments, rhs, weight, line in fields["rules"]
    )
    adapted = {s: Adaptation(a, b) for s, (a, b) in fields["adapted"].items()}
    return Grammar(fields["name"], fields["start"], rules, adapted)
