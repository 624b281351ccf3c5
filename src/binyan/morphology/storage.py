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
    model_file.save(path, KIND, *_model(segmenter))


def segmenter_to_bytes(segmenter: Segmenter) -> bytes:
    """The model without chains, as bytes."""
    return model_file.to_bytes(KIND, *_model(segmenter))


def segmenter_from_bytes(data: bytes) -> Segmenter:
    """The inverse of `segmenter_to_bytes`."""
    return segmenter_from_file(model_file.from_bytes(data))


def save_sampler(sampler: AdaptorSampler, path: str | os.PathLike[str]) -> None:
    """The model and the state of every chain: `load_sampler` goes on bit for bit."""
    meta, sections = _model(sampler.freeze())
    meta |= {"settings": sampler.settings.to_dict(), "sweeps": sampler.sweeps, "r_hat": sampler.r_hat}
    for state in sampler.states:
        sections |= chain_sections(state)
    model_file.save(path, KIND, meta, sections)


def chain_sections(state: ChainState) -> dict[str, Section]:
    """The state of one chain."""
    own: dict[str, Section] = {
        "trace": np.array(state.trace, np.float64).reshape(state.sweeps, -1 if state.trace else 0)
    }
    if state.sweeps:
        own |= {"state": state.core.state(), "samples": state.samples.state()}
    for i, snapshot in enumerate(state.snapshots):
        own |= {f"snapshot.{i}.{name}": array for name, array in _snapshot(snapshot).items()}
    return {f"chain.{state.number}.{name}": section for name, section in own.items()}


def restored_chain(sampler: AdaptorSampler, file: ModelFile, number: int, collected: bool = True) -> ChainState:
    """The inverse of `chain_sections`; what was `collected` may be left out."""
    prefix = f"chain.{number}."
    state: ChainState = sampler.empty(number)
    state.trace = file.array(f"{prefix}trace").tolist()
    if state.sweeps:
        state.core.restore(file.array(f"{prefix}state"))
    if state.sweeps and collected:
        state.samples.restore(file.array(f"{prefix}samples"))
        state.snapshots = _snapshots(file.sections, f"{prefix}snapshot.")
    return state


def chain_to_bytes(sampler: AdaptorSampler, state: ChainState) -> bytes:
    """All that sampling one chain needs, to be sent to another process or machine."""
    meta, sections = _source(sampler.compiled, sampler.words)
    meta |= {"settings": sampler.settings.to_dict(), "chain": state.number}
    return model_file.to_bytes(KIND, meta, sections | chain_sections(state))


def chain_from_bytes(data: bytes) -> AdaptorSampler:
    """The inverse of `chain_to_bytes`: a sampler with that chain alone."""
    file = model_file.from_bytes(data)
    sampler = AdaptorSampler(_grammar(file.meta["grammar"]), _words(file), Settings.from_dict(file.meta["settings"]))
    sampler.states = [restored_chain(sampler, file, file.meta["chain"])]
    return sampler


def load_segmenter(path: str | os.PathLike[str]) -> Segmenter:
    """The frozen model of a file with or without chains."""
    return segmenter_from_file(_load(path))


def segmenter_from_file(file: ModelFile) -> Segmenter:
    """The frozen model of an opened file."""
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
    sampler = AdaptorSampler(_grammar(file.meta["grammar"]), _words(file), new)
    for number in range(new.chains):
        done = len(file.array(f"chain.{number}.trace"))
        collected, wanted = ({s for s in x.kept_sweeps if s <= done} for x in (old, new))
        if wanted and wanted != collected:
            raise SettingsError(
                f"{path}: {done} sweeps are done; samples of other sweeps than those collected cannot be had any more: "
                f"set a burn-in of {done} or more"
            )
        sampler.states.append(restored_chain(sampler, file, number, bool(wanted)))
    return sampler


def _load(path: str | os.PathLike[str]) -> ModelFile:
    file = model_file.load(path)
    if file.kind != KIND:
        raise ModelFileError(
            f"{path}: a model of kind {file.kind!r}, not a learnt morphology; make one with 'binyan morph learn'"
        )
    return file


def _model(segmenter: Segmenter) -> tuple[dict[str, Any], dict[str, Section]]:
    meta, sections = _source(segmenter.compiled, segmenter.words)
    meta |= {"signature": segmenter.signature, "unparsable": list(segmenter.unparsable)}
    sections["samples"] = segmenter.samples.state()
    for i, snapshot in enumerate(segmenter.snapshots):
        sections |= {f"snapshot.{i}.{name}": array for name, array in _snapshot(snapshot).items()}
    return meta, sections


def _source(compiled: Compiled, words: WordList) -> tuple[dict[str, Any], dict[str, Section]]:
    """What is learnt from: the grammar and the words."""
    meta = {
        "grammar": _grammar_fields(compiled.source),
        "atoms": list(compiled.atoms),
        "preparation": words.preparation.to_dict(),
        "unit": words.unit,
    }
    sections: dict[str, Section] = {
        "words": "\n".join(words.words).encode(),
        "counts": np.array(words.counts, np.uint64),
    }
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
