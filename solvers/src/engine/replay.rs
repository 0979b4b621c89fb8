//! Iterations that are launched together.

use std::ops::Range;

use arrayspan_bridge::Array;
use arrayspan_kernels::{Executor, Graph};
use arrayspan_operators::LinearMap;

use super::history::History;
use super::recorded::Replay;
use super::run::{Method, Run};
use crate::{Error, Launched, Result, Singly};

impl<M: Method> Run<'_, M> {
    /// Enqueues so many iterations from the first column of the history on; `left` counts all that there may be.
    ///
    /// What is enqueued depends on nothing that the host has seen of earlier iterations. So where the device launches several
    /// kernels as one, a few iterations are recorded once and replayed: a launch of all in place of one for each kernel.
    pub(super) fn enqueue(&mut self, iterations: usize, left: usize) -> Result<()> {
        let mut done = self.method.alone(self.done).min(iterations);
        (0..done).try_for_each(|step| self.enqueue_one(step))?;
        if let Replay::New = self.replay
            && let Some(counts) = History::recorded(self.on, self.w.history.room())
        {
            self.done += done;
            self.replay = self.found_or_recorded(iterations - done, left - done, counts);
            self.done -= done;
        }
        match std::mem::take(&mut self.replay) {
            Replay::Recorded(count, graph, alike) => {
                match self.replay(iterations, count, &graph, &mut done) {
                    // An array of the operator's own, which nobody lends a graph: nothing has run.
                    Err(error) if is_not_kept(&error) => self.replay = Replay::Plain,
                    replayed => {
                        self.replay = Replay::Recorded(count, graph, alike);
                        replayed?;
                    }
                }
            }
            other => self.replay = other,
        }
        (done..iterations).try_for_each(|step| self.enqueue_one(step))?;
        if !self.method.replays(iterations) && matches!(self.replay, Replay::Recorded(..)) {
            // Vectors have changed places.
            self.replay = Replay::New;
        }
        M::settle(self, iterations)
    }

    /// One iteration by itself.
    fn enqueue_one(&mut self, step: usize) -> Result<()> {
        if !self.fuses() || matches!(self.replay, Replay::Plain) {
            return M::iterate(self, step);
        }
        match self.iterate_fused(step..step + 1) {
            // As of replays.
            Err(error) if is_not_kept(&error) => {
                self.replay = Replay::Plain;
                M::iterate(self, step)
            }
            made => made,
        }
    }

    /// Iterations to be replayed, for the next ones of so many, and of so many that are left: those of a run before, or new ones, few or many.
    fn found_or_recorded(
        &mut self,
        iterations: usize,
        left: usize,
        [few, most]: [usize; 2],
    ) -> Replay {
        // Where the first ones are made alone, all counts but this one would leave others alone as well.
        let [few, most] = if self.method.alone(0) > 0 { [2, 2] } else { [few, most] };
        if iterations < few {
            return Replay::New;
        }
        match self.take_kept(iterations) {
            // There has been a run like this one, and there may be more of them.
            Some(Replay::Recorded(count, ..)) if count < most && iterations >= most => {
                self.recorded(most)
            }
            Some(kept) => kept,
            None if left >= 2 * few => self.recorded(few),
            None => Replay::New,
        }
    }

    /// Replays `count` iterations as often as they go into `iterations`, of which there are `done` already.
    fn replay(
        &mut self,
        iterations: usize,
        count: usize,
        graph: &Graph,
        done: &mut usize,
    ) -> Result<()> {
        let (on, y) = (self.on, self.y.clone());
        if *done + count <= iterations {
            self.w.history.begin_recorded(on, *done)?;
        }
        while *done + count <= iterations {
            graph.replay(&mut Shown(self), std::slice::from_ref(&y))?;
            self.w.history.keep_recorded(on, *done, count)?;
            *done += count;
            self.together += count;
        }
        Ok(())
    }

    /// Whether iterations that are made one by one are made as they would be recorded, so that results do not depend on which were: on
    /// devices where graphs are kernels. (On the host calls in fewer passes give the same bits.)
    pub(super) fn fuses(&self) -> bool {
        self.on.stream().has_graphs() && !self.on.device().is_cpu() && self.records(2)
    }

    /// How iterations have been launched, of which so many are the run's. (Those after the last one have changed nothing.)
    pub(super) fn launched(&self, iterations: usize) -> Launched {
        if self.together > 0 && iterations > 0 {
            return Launched::Together(self.together.min(iterations));
        }
        Launched::Singly(if !self.on.has_graphs() {
            Singly::Device
        } else if !self.method.replays(2) {
            Singly::Method
        } else if !self.records(2) || matches!(self.replay, Replay::Plain) {
            Singly::Operator
        } else if matches!(self.replay, Replay::Refused) {
            Singly::Refused
        } else {
            Singly::Few
        })
    }

    /// Whether so many iterations are nothing but calls on this device.
    fn records(&self, count: usize) -> bool {
        let on = self.on;
        let plain = |a: &dyn LinearMap| only_here(a, on) && a.only_enqueues();
        let others = [self.method.preconditioner(), self.method.beside()];
        let inner = others.into_iter().flatten().all(|inner| plain(inner));
        self.method.replays(count) && !on.records() && inner && plain(self.a)
    }

    /// Iterations in fewer passes over memory.
    pub(super) fn iterate_fused(&mut self, steps: Range<usize>) -> Result<()> {
        let (on, y) = (self.on, self.y.clone());
        on.fused(&mut Shown(self), std::slice::from_ref(&y), |on, run| {
            run.0.with_executor(on, |run| {
                steps.into_iter().try_for_each(|step| {
                    run.on.begin_section();
                    M::iterate(run, step)
                })
            })
        })
    }

    fn recorded(&mut self, count: usize) -> Replay {
        let on = self.on;
        if !self.records(count) {
            return Replay::Refused;
        }
        self.w.history.exchange();
        let graph = on.fused_graph(|on| {
            self.with_executor(on, |run| {
                (0..count).try_for_each(|step| {
                    // An iteration gives the same bits whichever others it is recorded with.
                    run.on.begin_section();
                    M::iterate(run, step)
                })?;
                run.on.begin_section();
                // For the next replay.
                run.w.history.restart(run.on, count)
            })
        });
        self.w.history.exchange();
        // Where memory is short or the driver refuses, iterations are made one by one, as without graphs.
        let graph = graph.unwrap_or_else(|error| {
            tracing::debug!("iterations are not recorded: {error}");
            None
        });
        let Some(graph) = graph else { return Replay::Refused };
        Replay::Recorded(count, graph, self.alike().map(Box::new))
    }

    /// What `work` does with the same run on another executor of its stream.
    fn with_executor<T>(
        &mut self,
        on: &dyn Executor,
        work: impl FnOnce(&mut Run<'_, M>) -> Result<T>,
    ) -> Result<T> {
        let nothing = match self.w.nothing.take() {
            Some(nothing) => nothing,
            None => on.empty(&[0], self.x.dtype())?,
        };
        let x = std::mem::replace(&mut self.x, nothing);
        let (own, data) = (std::mem::take(&mut self.own), std::mem::take(&mut self.data));
        let (lost, next) = (std::mem::take(&mut self.lost), self.next.take());
        let mut run = Run {
            method: self.method,
            w: &mut *self.w,
            on,
            a: self.a,
            y: self.y.clone(),
            x,
            own,
            data,
            lost,
            next,
            started: self.started,
            scale: self.scale,
            damping: self.damping,
            whole: self.whole,
            damped_alone: self.damped_alone,
            done: self.done,
            replay: Replay::Refused,
            together: self.together,
        };
        let done = work(&mut run);
        let Run { x, own, data, lost, next, .. } = run;
        self.w.nothing = Some(std::mem::replace(&mut self.x, x));
        (self.own, self.data) = (own, data);
        (self.lost, self.next) = (lost, next);
        done
    }
}

/// Whether it computes where the executor does, and nowhere else: not on the way, either.
pub(super) fn only_here(a: &dyn LinearMap, on: &dyn Executor) -> bool {
    let ends_here = a.devices().is_none_or(|devices| devices.one() == Some(on.device()));
    ends_here && a.elsewhere().is_empty()
}

fn is_not_kept(error: &Error) -> bool {
    use arrayspan_operators::Error as Operator;
    matches!(error, Error::Operator(Operator::Kernel(arrayspan_kernels::Error::NotKept { .. })))
}

/// All arrays of a run that iterations write.
pub(super) struct Shown<'r, 'a, M: Method>(pub(super) &'r mut Run<'a, M>);

impl<M: Method> arrayspan_kernels::Arrays for Shown<'_, '_, M> {
    fn show<'s>(&'s mut self, show: &mut dyn FnMut(&'s mut Array)) {
        let run = &mut *self.0;
        run.w.show(M::arrays, show);
        show(&mut run.x);
    }
}
