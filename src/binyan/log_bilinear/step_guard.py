"""Steps that are too large undo a model: the guard notices, takes the last good state back, and halves the steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from torch import Tensor

from binyan.log_bilinear.optimiser import AdaGrad

WINDOWS = 20  # per epoch: how often the loss is looked at
_RISE = 0.1  # nats per event by which the loss may be above its lowest value
_SPREAD = 10.0  # what chance may add to that: this, in nats, over the root of the number of events looked at
_HALVINGS = 5  # at one place, after which a loss that is still as high is that of hard events, not of large steps
_STILL = 0.05  # by which share of it an excess may fall in the last of them
_HARDEST = 3.0  # times what chance may add: no events are that hard
SMALLEST = 2.0**-20  # share of the step size at which training is given up


@dataclass
class Window:
    """Minibatches that are judged together."""

    loss: float = 0.0
    events: int = 0
    batches: int = 0

    def add(self, loss: float, events: int) -> None:
        """One more minibatch with this sum of losses."""
        self.loss, self.events, self.batches = self.loss + loss, self.events + events, self.batches + 1

    @property
    def mean(self) -> float:
        """Nats per event."""
        return self.loss / self.events if self.events else math.nan


@dataclass
class GoodState:
    """Parameters and sums of squares that the loss has shown to be good, and how much of the epoch was done then."""

    start: int
    total: float
    tensors: dict[str, tuple[Tensor, Tensor]]


@dataclass
class Alarm:
    """A loss that was too high after the good state at event `start`: the share of the step size before, and the excess seen last."""

    start: int
    scale: float
    excess: float


@dataclass
class StepGuard:
    """Watches the loss of minibatches, in windows.

    `scale` is the share of the step size that is left: it is halved where a loss is above the lowest of a window so far by
    more than chance explains, or is no number. Where halving the steps again and again leaves the loss as it is, the events are
    hard, and the steps get their size back. `lowest` and `scale` are all that outlasts an epoch.
    """

    optimiser: AdaGrad
    scale: float = 1.0
    lowest: float = math.inf
    _window: Window = field(default_factory=Window)
    _size: int = 1
    _good: GoodState | None = None
    _alarm: Alarm | None = None

    def begin(self, batches: int) -> None:
        """Start an epoch that has this number of minibatches."""
        self._size, self._alarm = max(1, batches // WINDOWS), None
        self._keep(0, 0.0)

    def rose(self, loss: float, events: int, start: int, total: float) -> bool:
        """Whether the loss of a minibatch, computed before its step, shows that steps were too large.

        `loss` is the sum over its `events`, `total` that over the epoch's events before `start`.
        """
        if not math.isfinite(loss):
            return True
        if self._window.batches == self._size:
            excess, judged = self._excess(self._window.loss, self._window.events), self._window.events
            if excess <= 0:
                self.lowest = min(self.lowest, self._window.mean)
                excess, judged = self._excess(loss, events), events
            if excess > 0 and not self._are_hard(judged, excess):
                return True
            self._keep(start, total)
        self._window.add(loss, events)
        return False

    def _excess(self, loss: float, events: int) -> float:
        """How far the mean loss of events is above what chance explains."""
        return loss / events - self.lowest - _RISE - _SPREAD / math.sqrt(events)

    def _are_hard(self, events: int, excess: float) -> bool:
        """Whether events are hard by themselves: halving the steps has not changed their excess. The steps then get their size back."""
        assert self._good is not None
        before = self._alarm
        if before is None or before.start != self._good.start:
            self._alarm = Alarm(self._good.start, self.scale, excess)
            return False
        is_still, before.excess = excess > (1 - _STILL) * before.excess, excess
        hardest = (_HARDEST - 1) * _SPREAD / math.sqrt(events)
        if not is_still or excess > hardest or self.scale > before.scale * 0.5**_HALVINGS:
            return False
        self.scale = before.scale
        return True

    def back(self) -> tuple[int, float]:
        """Take the last good state back and halve the steps; the event to go on from, and the sum of losses up to there."""
        assert self._good is not None
        self.scale /= 2
        for name, (values, sums) in self._good.tensors.items():
            self.optimiser.parameters[name].data.copy_(values)
            self.optimiser.sums[name].copy_(sums)
        self._window = Window()
        return self._good.start, self._good.total

    def _keep(self, start: int, total: float) -> None:
        """Take the present state for a good one."""
        now = {name: (p.detach(), self.optimiser.sums[name]) for name, p in self.optimiser.parameters.items()}
        if self._good is None:
            self._good = GoodState(start, total, {name: (p.clone(), s.clone()) for name, (p, s) in now.items()})
        else:
            self._good.start, self._good.total = start, total
            for name, (values, sums) in self._good.tensors.items():
                values.copy_(now[name][0])
                sums.copy_(now[name][1])
        self._window = Window()
