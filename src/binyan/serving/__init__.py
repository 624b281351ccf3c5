"""Language models as a service: sentences scored for other programs, as JSON lines or over HTTP, many at a time."""

from binyan.serving.lines import answer_lines
from binyan.serving.service import ScoringService
from binyan.serving.start import serve

__all__ = ["ScoringService", "answer_lines", "serve"]
