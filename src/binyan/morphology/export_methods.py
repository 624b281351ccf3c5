"""What a morphology gives to other programs, as methods of it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, cast

from binyan.files import PathLike
from binyan.morphology.exports import ExportReport, export_analyses
from binyan.morphology.posterior import Posterior
from binyan.morphology.transducer import Transducer, TransducerSettings, build_transducer
from binyan.progress import ProgressOption
from binyan.settings import gather, takes_settings
from binyan.signature import Signature

if TYPE_CHECKING:
    from binyan.morphology.morphology import Morphology


class ExportMethods:
    """A morphology as a transducer, and in the formats of other programs."""

    posterior: Posterior

    @abstractmethod
    def signature(self) -> Signature:
        """How the model was made."""

    @takes_settings(TransducerSettings)
    def to_fst(self, progress: ProgressOption = False, **settings: Any) -> Transducer:
        """What was learnt as a weighted finite-state transducer: an analyser and a generator (see `TransducerSettings`)."""
        [how] = gather("to_fst", settings, TransducerSettings)
        return build_transducer(self.posterior, how, str(self.signature()), progress)

    def to_lift(self, path: PathLike, **options: Any) -> ExportReport:
        """Write the lexicon as LIFT 0.13 for FieldWorks and its neighbours; options as those of `export`."""
        return self.export(path, "lift", **options)

    def to_flextext(self, path: PathLike, **options: Any) -> ExportReport:
        """Write the analyses as interlinear text for FieldWorks; options as those of `export`."""
        return self.export(path, "flextext", **options)

    def to_cldf(self, folder: PathLike, **options: Any) -> ExportReport:
        """Write the analyses as a CLDF data set; options as those of `export`."""
        return self.export(folder, "cldf", **options)

    def export(self, path: PathLike, format: str, **options: Any) -> ExportReport:
        """Write what was learnt for other programs, in one of `binyan.morphology.exports.FORMATS`.

        "fst" takes the settings of `to_fst`, and `generator`. The others write the analyses of `words` (a file or a list), of the
        sentences of a `text`, or of the words learnt from, with a `language` code and `glosses` of morphemes (a file or a mapping).
        """
        if format != "fst":
            return export_analyses(cast("Morphology", self), path, format, **options)
        generator = options.pop("generator", False)
        transducer = self.to_fst(**options)
        transducer.save(path, generator)
        return ExportReport(str(path), format, transducer.to_dict())
