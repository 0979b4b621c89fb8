//! Calls that are launched together give what they give one by one.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::sync::Arc;
use std::thread;

use arrayspan_kernels::bridge::convert::{ArraySource as _, ConvertOptions};
use arrayspan_kernels::bridge::devices::{Device, caches};
use arrayspan_kernels::bridge::{Array, DType, Relayout as _, Transfer};
use arrayspan_kernels::{
    Band, Convolution, Error, Executor, Fourier, Graph, Result, Stencil, Trace, Update, Vector,
    VectorMut, on, on_stream,
};
use num_complex::{Complex32, Complex64};

/// On every device that has graphs.
fn on_each(test: impl Fn(Arc<dyn Executor>)) {
    let mut found = false;
    for device in Device::all() {
        let executor = on(device).unwrap();
        if executor.graph(|_| Ok::<_, Error>(())).unwrap().is_some() {
            found = true;
            test(executor);
        }
    }
    if !found {
        eprintln!("skipped: no CUDA device");
    }
}

fn array(on: &dyn Executor, shape: &[usize]) -> Array {
    let len = shape.iter().product();
    let number = |at: usize| ((at * 37 + 11) % 101) as f32 / 101.0 - 0.4;
    let values: Vec<f32> = (0..len).map(number).collect();
    Array::from_slice(&values, shape).unwrap().into_device(on.device()).unwrap().0
}

/// A filter that is longer than straight code, so that its weights are a table.
fn filter(len: usize) -> Stencil {
    let taps = (0..101).map(|at: isize| (at - 50, 1.0 / (1.0 + at as f64)));
    Stencil::along(0, Band::uniform(len, taps)).unwrap()
}

/// A vector, its filtered one, and the norm of that.
fn arrays(on: &dyn Executor, len: usize) -> [Array; 3] {
    [array(on, &[len]), array(on, &[len]), on.empty(&[], DType::Float64).unwrap()]
}

fn step(on: &dyn Executor, filter: &Stencil, all: &mut [Array; 3]) -> Result<()> {
    let [x, y, norm] = all;
    on.stencil(filter, x.view(), y.view_mut(), Update::set())?;
    y.norm_squared_into(on, &mut *norm)?;
    x.update_on(on, |x| (x + 0.5 * &*y) / (norm.sqrt() + 1.0))
}

fn recorded(on: &dyn Executor, filter: &Stencil, all: &mut [Array; 3]) -> Graph {
    let twice = |on: &dyn Executor| step(on, filter, all).and_then(|()| step(on, filter, all));
    on.graph(twice).unwrap().unwrap()
}

fn bits([x, y, norm]: &[Array; 3]) -> (Vec<u32>, Vec<u32>, u64) {
    let of = |array: &Array| array.to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect();
    (of(x), of(y), norm.item::<f64>().unwrap().to_bits())
}

#[test]
fn a_replay_is_the_calls_again_to_the_bit() {
    on_each(|on| {
        for len in [1, 7, 1009, 262_147] {
            let filter = filter(len);
            let (mut one, mut other) = (arrays(&*on, len), arrays(&*on, len));
            let before = bits(&one);
            let graph = recorded(&*on, &filter, &mut one);
            assert!(graph.launches() >= 6);
            assert_eq!(bits(&one).0, before.0, "recording runs nothing");
            for round in 0..4 {
                graph.replay(&mut one, &[]).unwrap();
                // What caches keep may go: a graph has its kernels and tables.
                let _ = caches::clear(on.device());
                step(&*on, &filter, &mut other).unwrap();
                step(&*on, &filter, &mut other).unwrap();
                assert_eq!(bits(&one), bits(&other), "{len} {round}");
            }
        }
    });
}

#[test]
fn an_array_that_is_not_there_is_missed_before_anything_runs() {
    on_each(|on| {
        let filter = filter(1009);
        let mut all = arrays(&*on, 1009);
        let graph = recorded(&*on, &filter, &mut all);
        let before = bits(&all);
        let y = std::mem::replace(&mut all[1], array(&*on, &[1009]));
        assert!(matches!(graph.replay(&mut all, &[]), Err(Error::NotKept { .. })));
        let view = y.view();
        assert!(matches!(graph.replay(&mut all, &[view]), Err(Error::NotKept { .. })), "written");
        all[1] = y;
        assert_eq!(bits(&all), before);
        graph.replay(&mut all, &[]).unwrap();
        assert_ne!(bits(&all), before);
    });
}

#[test]
fn what_is_only_read_may_be_a_view() {
    on_each(|on| {
        let (x, mut y) = (array(&*on, &[1009]), array(&*on, &[1009]));
        let graph = on.graph(|on| y.update_on(on, |y| y + &x)).unwrap().unwrap();
        assert!(graph.replay(&mut y, &[]).is_err());
        graph.replay(&mut y, &[x.view()]).unwrap();
        let twice = (2.0 * &x).compute().unwrap().to_vec::<f32>().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), twice);
    });
}

/// Two arrays of four are given up and others taken for them, in whatever order, also where one lies where the other lay.
#[test]
fn arrays_may_be_where_others_were_when_a_graph_was_made() {
    on_each(|on| {
        if on.device().is_cpu() {
            return;
        }
        for len in [1, 1009, 262_147] {
            let filter = filter(len);
            let (mut own, mut other) = (arrays(&*on, len), arrays(&*on, len));
            let mut graph = recorded(&*on, &filter, &mut own);
            let mut past = Vec::new();
            for round in 0..5 {
                assert!(graph.release(&own[0].view()) && graph.release(&own[1].view()));
                assert!(!graph.is_whole() && graph.replay(&mut own, &[]).is_err());
                let [x, y] = [0, 1].map(|at| own[at].memory().address());
                if round == 3 {
                    own.swap(0, 1);
                    graph.take(y, &own[1].view()).unwrap();
                } else {
                    for at in [0, 1] {
                        let new = own[at].try_clone().unwrap();
                        past.push(std::mem::replace(&mut own[at], new));
                    }
                    graph.take(y, &own[1].view()).unwrap();
                }
                // Another size, and what was taken already.
                let small = array(&*on, &[len + 64]);
                graph.take(x, &small.view()).unwrap();
                graph.take(y, &own[1].view()).unwrap();
                assert!(!graph.is_whole());
                graph.take(x, &own[0].view()).unwrap();
                assert!(graph.is_whole());
                if round == 3 {
                    other.swap(0, 1);
                }
                graph.replay(&mut own, &[]).unwrap();
                step(&*on, &filter, &mut other).unwrap();
                step(&*on, &filter, &mut other).unwrap();
                assert_eq!(bits(&own), bits(&other), "{len} {round}");
            }
            let before: Vec<_> = past.iter().map(|x| x.to_vec::<f32>().unwrap()).collect();
            graph.replay(&mut own, &[]).unwrap();
            let after: Vec<_> = past.iter().map(|x| x.to_vec::<f32>().unwrap()).collect();
            assert_eq!(before, after, "arrays that it has released");
        }
    });
}

#[test]
fn what_was_only_borrowed_is_not_kept() {
    let host = on(Device::cpu()).unwrap();
    let mut y = array(&*host, &[1009]);
    let before = y.to_vec::<f32>().unwrap();
    let values = ndarray::Array1::<f32>::ones(1009);
    let copy = |on: &dyn Executor| {
        // Its handle goes before the graph is made.
        let lent = values.view().import(&ConvertOptions::default()).unwrap();
        on.copy(lent.view(), y.view_mut(), Update::set())
    };
    let graph = host.graph::<Error>(copy).unwrap().unwrap();
    drop(values);
    assert!(matches!(graph.replay(&mut y, &[]), Err(Error::NotKept { .. })));
    assert_eq!(y.to_vec::<f32>().unwrap(), before);
}

#[test]
fn what_was_taken_out_is_not_kept() {
    let host = on(Device::cpu()).unwrap();
    let x = array(&*host, &[200]);
    let mut taken = None;
    let copy = |on: &dyn Executor| {
        let mut own = Array::from(ndarray::Array1::<f32>::zeros(200));
        on.copy(x.view(), own.view_mut(), Update::set())?;
        taken = Some(own.into_ndarray::<f32>(Transfer::ZeroCopyOnly)?.0);
        Ok::<(), Error>(())
    };
    let graph = host.graph(copy).unwrap().unwrap();
    let none: &mut [Array] = &mut [];
    assert!(matches!(graph.replay(none, &[x.view()]), Err(Error::NotKept { .. })));
    assert!(taken.unwrap().iter().all(|value| *value == 0.0));
}

#[test]
fn a_view_has_to_lend_all_that_is_read() {
    on_each(|on| {
        let (mut x, mut y) = (array(&*on, &[8, 9]), array(&*on, &[8, 9]));
        let copy = |on: &dyn Executor| on.copy(x.view(), y.view_mut(), Update::set());
        let graph = on.graph::<Error>(copy).unwrap().unwrap();
        for rows in [0, 7] {
            let (part, _others) = x.view_mut().split_at(0, rows).unwrap();
            let missed = graph.replay(&mut y, &[part.view()]);
            assert!(matches!(missed, Err(Error::NotKept { .. })), "{rows}");
        }
        let every_other = x.view().stepped(1, 2).unwrap();
        assert!(graph.replay(&mut y, &[every_other]).is_err());
        graph.replay(&mut y, &[x.view().permuted(&[1_usize, 0]).unwrap()]).unwrap();
        graph.replay(&mut y, &[x.view().sliced(0, 0, 8).unwrap()]).unwrap();

        let part = x.view().stepped(1, 2).unwrap();
        let mut z = on.empty(part.shape(), DType::Float32).unwrap();
        let copy = |on: &dyn Executor| on.copy(part.clone(), z.view_mut(), Update::set());
        let graph = on.graph::<Error>(copy).unwrap().unwrap();
        graph.replay(&mut z, std::slice::from_ref(&part)).unwrap();
    });
}

#[test]
fn products_by_the_vendors_library_are_in_no_graph() {
    on_each(|on| {
        let (a, mut c) = (array(&*on, &[500, 500]), array(&*on, &[500, 500]));
        let before = c.to_vec::<f32>().unwrap();
        let b = array(&*on, &[500, 500]);
        let product =
            |on: &dyn Executor| on.gemm(a.view(), false, b.view(), c.view_mut(), Update::set());
        let made = on.graph::<Error>(product).unwrap();
        if let Some(graph) = made {
            // Without the library it is a kernel of ours.
            graph.replay(&mut c, &[a.view(), b.view()]).unwrap();
        } else {
            assert_eq!(c.to_vec::<f32>().unwrap(), before);
        }
    });
}

/// Lines on their way from one kernel to the next: the second transform needs more room than the first.
#[test]
fn transforms_of_several_passes_keep_the_room_of_each() {
    on_each(|on| {
        let lens = [1 << 15, 1 << 18];
        let inputs = lens.map(|len| array(&*on, &[len]));
        let transform = |on: &dyn Executor, outputs: &mut [Array]| {
            for ((x, y), len) in inputs.iter().zip(outputs).zip(lens) {
                let fourier = Fourier::new(0, len)?.real();
                on.fft(&fourier, x.view(), y.view_mut(), Update::set())?;
            }
            Ok::<(), Error>(())
        };
        let outputs = || lens.map(|len| on.empty(&[len], DType::Complex64).unwrap());
        let (mut one, mut other) = (outputs(), outputs());
        let graph = on.graph(|on| transform(on, &mut one)).unwrap().expect("a graph");
        graph.replay(&mut one, &inputs.each_ref().map(|x| x.view())).unwrap();
        transform(&*on, &mut other).unwrap();
        for (one, other) in one.iter().zip(&other) {
            let [one, other] = [one, other].map(|y| y.to_vec::<Complex32>().unwrap());
            assert!(one == other);
        }
    });
}

/// A few taps are arguments of their kernel, many are a table.
#[test]
fn dense_filters_keep_their_taps() {
    on_each(|on| {
        for extents in [[5, 7], [33, 35]] {
            let taps: Vec<_> = (0..extents[0] * extents[1])
                .map(|at| Complex64::new(1.0 / (1.0 + at as f64), 0.0))
                .collect();
            let own = Convolution::new(&[0, 1], &extents, &taps, &[2, 3]).unwrap();
            let (x, shape) = (array(&*on, &[61, 130]), [61, 130]);
            let [mut y, mut expected] = [0, 1].map(|_| on.empty(&shape, DType::Float32).unwrap());
            let graph = on.graph(|on| on.convolve(&own, x.view(), y.view_mut(), Update::set()));
            let graph = graph.unwrap().unwrap();
            on.convolve(&own, x.view(), expected.view_mut(), Update::set()).unwrap();
            // Nothing but the graph has its taps any more.
            drop((own, taps));
            graph.replay(&mut y, &[x.view()]).unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap());
        }
    });
}

/// A graph that goes while it runs, arrays that go after it, streams that share an array, threads with graphs of their own.
#[test]
fn graphs_keep_order_with_all_other_work() {
    on_each(|on| {
        let filter = filter(262_147);
        let mut expected = arrays(&*on, 262_147);
        for _ in 0..6 {
            step(&*on, &filter, &mut expected).unwrap();
        }
        let expected = bits(&expected);
        let run = || {
            let stream = on.device().new_stream().unwrap();
            let (mine, other) = (on_stream(&stream).unwrap(), on.clone());
            let mut all = arrays(&*mine, 262_147);
            let graph = recorded(&*mine, &filter, &mut all);
            graph.replay(&mut all, &[]).unwrap();
            // On another stream in between.
            step(&*other, &filter, &mut all).unwrap();
            step(&*other, &filter, &mut all).unwrap();
            graph.replay(&mut all, &[]).unwrap();
            drop(graph);
            assert_eq!(bits(&all), expected);
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..8).for_each(|_| run()));
            }
        });
        let mut all = arrays(&*on, 262_147);
        let graph = recorded(&*on, &filter, &mut all);
        std::mem::forget(graph);
        assert_eq!(bits(&all).0, bits(&arrays(&*on, 262_147)).0);
    });
}

#[test]
fn what_counts_calls_sees_each() {
    for device in Device::all() {
        let trace = Trace::of(on(device).unwrap());
        let mut x = array(&trace, &[3]);
        assert!(
            (&trace as &dyn Executor).graph(|on| x.update_on(on, |x| 2.0 * x)).unwrap().is_none()
        );
    }
}
