"""Solvers of the engine in PyLops's steps."""

from ._runs import Led
from .basesolver import Solver
from .callback import _callback_stop


# Elements of models and data of which 50 iterations take a GPU milliseconds, and Ctrl-C can wait.
_SMALL = 1 << 24


class Stepping(Solver):
    """A solver of the engine: a run is left to it as a whole, which calls back where someone looks at each step; steps that
    the caller takes are those of a run that waits for them.

    A subclass has `_note(seen, x)`, which takes what an iteration has come to, ``seen.residual`` and ``seen.gradient``, and
    `_within()`, whether that is enough.
    """

    def _begin(self, problem, niter):
        self._problem, self.niter = problem, niter
        self._led = None
        self._over = False
        self.iiter = 0

    def _note(self, seen, x):
        raise NotImplementedError

    def _within(self):
        raise NotImplementedError

    def _print_step(self, x):
        self._print_row(x, self.cost[-1])

    def _shape(self, x):
        """A model as the caller has it."""
        return x.reshape(-1)

    def _lead(self):
        """The run that steps are taken of."""
        if self._led is None:
            self._led = Led(self._problem)
            self._start(self._led)
        return self._led

    def _start(self, seen):
        """Takes what there is before the first iteration."""

    def _iterate(self, show):
        """One iteration of a run that the caller leads."""
        led = self._lead()
        before = led.iteration
        self._over = not led.step()
        x = self._shape(led.x)
        if led.iteration > before:
            self.iiter += 1
            self._note(led, x)
        if show:
            self._print_step(x)
        return x

    def _shown(self, show, itershow, most):
        first, last, every = itershow
        return show and (self.iiter < first or most - self.iiter < last or self.iiter % every == 0)

    def _hook(self, name, x):
        callbacks = self.callbacks or ()
        for callback in callbacks if name.endswith("begin") else reversed(callbacks):
            getattr(callback, name)(self, x)

    def _looks(self, most, show, itershow):
        """What the engine calls after each iteration: the callbacks of a step, as if it had been taken alone."""
        called = [None]

        def look(progress):
            x = self._shape(progress.solution())
            if progress.iteration == 0:
                self._start(progress)
            else:
                shown = self._shown(show, itershow, most)
                self.iiter += 1
                self._note(progress, x)
                if shown:
                    self._print_step(x)
                self._hook("on_step_end", x)
                self.callback(x)
            called[0] = x
            ends = progress.iteration > 0 and _callback_stop(self.callbacks)
            if ends or self._within() or progress.stopped is not None or self.iiter >= most:
                return True
            self._hook("on_step_begin", x)
            return False

        return look

    def _glances(self, most):
        """What the engine calls after each iteration where nothing but a tolerance is looked at: models stay where they are."""

        def look(progress):
            self._start(progress)
            self.iiter = progress.iteration
            return self._within() or progress.stopped is not None or self.iiter >= most

        return look

    def _every(self):
        """After how many iterations the host looks whether a run that nobody looks at is over: on another device it has to wait for that."""
        small = max(self.Op.shape) <= _SMALL and self.ncp.__name__ != "numpy"
        return 50 if small else 10

    def _run_whole(self, x, niter, show, itershow, looking, absolute=0.0, models=True):
        """A whole run by the engine; `looking` if someone looks at each iteration, at the model too if `models`. What the engine
        returned."""
        most = self.niter if niter is None else niter
        if most is None:
            raise ValueError("`niter` must not be None")
        every = 1 if looking or (absolute > 0 and self.ncp.__name__ == "numpy") else 10 if absolute > 0 else self._every()
        look = None
        if looking:
            look = self._looks(most, show, itershow) if models else self._glances(most)
        solution = self._problem.solve(most, look, check_every=every, absolute=absolute)
        self._problem.count(solution.iterations)
        self._over = solution.stopped not in ("iterations", "callback")
        return solution

    def _steps_on(self, x, niter, show, itershow):
        """Goes on with a run of which steps have been taken."""

        def step(x, shown):
            x = self._step_again(x, shown)
            self.callback(x)
            return x

        most = self.niter if niter is None else niter
        return self._steps(x, most, show, itershow, lambda: not self._over and not self._within(), step)

    def _step_again(self, x, shown):
        return self.step(x, shown)

    def _leads_itself(self, classes):
        """Whether steps are the caller's: some have been taken, or a subclass has steps of its own."""
        return self._led is not None or type(self).step not in [each.step for each in classes]
