//! Expressions against the slow, obvious way, and where they are longer than any stack.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::sync::Barrier;
use std::thread::{self, Builder};

use arrayspan_bridge::expression::{Binary, Expression, Node, Unary, constant, input, previous};
use num_complex::Complex64;
use proptest::prelude::*;

/// An expression, and what it is known to be: written out, and recursive.
#[derive(Clone, Debug)]
enum Tree {
    Input(usize),
    Previous,
    Constant(f64, f64),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn expression(&self) -> Expression {
        match self {
            Self::Input(number) => input(*number),
            Self::Previous => previous(),
            Self::Constant(re, im) => constant(Complex64::new(*re, *im)),
            Self::Unary(function, a) => Node::Unary(*function, a.expression()).into(),
            Self::Binary(function, a, b) => {
                Node::Binary(*function, a.expression(), b.expression()).into()
            }
        }
    }

    fn nodes(&self) -> Vec<&Self> {
        let mut nodes = match self {
            Self::Unary(_, a) => a.nodes(),
            Self::Binary(_, a, b) => [a.nodes(), b.nodes()].concat(),
            _ => Vec::new(),
        };
        nodes.push(self);
        nodes
    }

    fn count(&self, is: impl Fn(&Self) -> bool) -> usize {
        self.nodes().into_iter().filter(|node| is(node)).count()
    }

    fn is_real(&self) -> bool {
        use Unary::{Absolute, AbsoluteSquare, Conjugate, Imaginary, Negate, Real, SquareRoot};
        match self {
            Self::Constant(_, im) => *im == 0.0,
            Self::Unary(Real | Imaginary | Absolute | AbsoluteSquare, _) => true,
            Self::Unary(Negate | Conjugate, a) => a.is_real(),
            Self::Input(_) | Self::Previous | Self::Unary(SquareRoot, _) => false,
            Self::Binary(_, a, b) => a.is_real() && b.is_real(),
        }
    }

    fn is_same(&self, node: &Node) -> bool {
        match (self, node) {
            (Self::Input(a), Node::Input(b)) => a == b,
            (Self::Previous, Node::Previous) => true,
            (Self::Constant(re, im), Node::Constant(value)) => *value == Complex64::new(*re, *im),
            (Self::Unary(f, _), Node::Unary(g, _)) => f == g,
            (Self::Binary(f, ..), Node::Binary(g, ..)) => f == g,
            _ => false,
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    use Binary::{Add, Divide, DivideOrZero, Maximum, Minimum, Multiply, Subtract};
    use Unary::{Absolute, AbsoluteSquare, Conjugate, Imaginary, Negate, Real, SquareRoot};
    let leaf = prop_oneof![
        (0..4_usize).prop_map(Tree::Input),
        Just(Tree::Previous),
        (-2..3, -1..2).prop_map(|(re, im)| Tree::Constant(f64::from(re), f64::from(im))),
    ];
    let unary = vec![Negate, Conjugate, Real, Imaginary, Absolute, AbsoluteSquare, SquareRoot];
    let binary = vec![Add, Subtract, Multiply, Divide, DivideOrZero, Minimum, Maximum];
    leaf.prop_recursive(6, 48, 2, move |inner| {
        let function = proptest::sample::select(unary.clone());
        let of_one = (function, inner.clone()).prop_map(|(f, a)| Tree::Unary(f, Box::new(a)));
        let function = proptest::sample::select(binary.clone());
        let of_two = (function, inner.clone(), inner)
            .prop_map(|(f, a, b)| Tree::Binary(f, Box::new(a), Box::new(b)));
        prop_oneof![of_one, of_two]
    })
}

proptest! {
    #[test]
    fn what_is_known_of_an_expression_is_what_counting_finds(tree in trees()) {
        let expression = tree.expression();
        let input = |node: &&Tree| if let Tree::Input(at) = node { Some(at + 1) } else { None };
        let inputs = tree.nodes().iter().filter_map(input).max().unwrap_or(0);
        prop_assert_eq!(expression.inputs(), inputs);
        let operation = |node: &Tree| matches!(node, Tree::Unary(..) | Tree::Binary(..));
        prop_assert_eq!(expression.operations(), tree.count(operation));
        let reads = tree.count(|node| matches!(node, Tree::Previous)) > 0;
        prop_assert_eq!(expression.reads_previous(), reads);
        let ordered = |node: &Tree| {
            matches!(node, Tree::Binary(Binary::Minimum | Binary::Maximum, ..))
        };
        prop_assert_eq!(expression.has_order(), tree.count(ordered) > 0);
        let imaginary = |node: &Tree| matches!(node, Tree::Constant(_, im) if *im != 0.0);
        prop_assert_eq!(expression.has_real_constants(), tree.count(imaginary) == 0);
        prop_assert_eq!(expression.is_real(), tree.is_real());
    }

    #[test]
    fn nodes_come_operands_first_from_left_to_right(tree in trees()) {
        let expression = tree.expression();
        let (ours, theirs): (Vec<_>, Vec<_>) = (expression.nodes().collect(), tree.nodes());
        prop_assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            prop_assert!(theirs.is_same(ours.node()), "{:?} is no {:?}", ours, theirs);
        }
        let constant = |node: &&Tree| match node {
            Tree::Constant(re, im) => Some(Complex64::new(*re, *im)),
            _ => None,
        };
        let constants: Vec<Complex64> = theirs.iter().filter_map(constant).collect();
        prop_assert_eq!(expression.constants(), &constants[..]);
    }

    #[test]
    fn expressions_are_equal_if_all_their_nodes_are(a in trees(), b in trees()) {
        let same = a.nodes().len() == b.nodes().len()
            && a.nodes().iter().zip(b.nodes()).all(|(a, b)| a.is_same(b.expression().node()));
        prop_assert_eq!(a.expression() == b.expression(), same);
        prop_assert_eq!(a.expression(), a.expression());
    }
}

const LONG: usize = 100_000;

/// Runs on a stack on which a hundred thousand calls have no room.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
}

fn chain(len: usize, grow: impl Fn(Expression, usize) -> Expression) -> Expression {
    (0..len).fold(input(0), grow)
}

#[test]
fn a_chain_longer_than_the_stack_is_made_read_compared_shown_and_dropped() {
    on_a_small_stack(|| {
        let number = |at: usize| constant(at as f64);
        let left = chain(LONG, |chain, at| chain + number(at));
        let right = chain(LONG, |chain, at| number(at) + chain);
        for chain in [&left, &right] {
            assert_eq!(chain.operations(), LONG);
            assert_eq!(chain.nodes().count(), 2 * LONG + 1);
            assert_eq!(chain.constants().len(), LONG);
            assert_eq!(format!("{chain:?}"), "Expression(100000 operations of 1 inputs)");
        }
        assert_eq!(left.constants()[1], Complex64::new(1.0, 0.0));
        assert_eq!(right.constants()[0], Complex64::new((LONG - 1) as f64, 0.0));
        assert_eq!(left, chain(LONG, |chain, at| chain + number(at)));
        assert_ne!(left, right);
        assert_ne!(left, chain(LONG, |chain, at| chain + number(at.max(1))));
    });
}

#[test]
fn several_threads_that_let_go_of_one_chain_at_once_drop_it() {
    for round in 0..20 {
        let whole = chain(LONG / 20, |chain, _| -chain);
        // Handles of parts in the middle, too, so that each thread frees some of it.
        let parts: Vec<Expression> = whole.nodes().step_by(101 + round).cloned().collect();
        let barrier = Barrier::new(4);
        thread::scope(|scope| {
            for at in 0..4 {
                let mine = (whole.clone(), parts.iter().skip(at).step_by(2).cloned());
                let mine = (mine.0, mine.1.collect::<Vec<_>>());
                let barrier = &barrier;
                Builder::new()
                    .stack_size(128 << 10)
                    .spawn_scoped(scope, move || {
                        barrier.wait();
                        drop(mine);
                    })
                    .unwrap();
            }
            drop((whole, parts));
        });
    }
}

#[test]
fn parts_that_are_shared_over_and_over_are_counted_compared_shown_and_dropped_at_once() {
    let double = |_: usize| chain(200, |sum, _| sum.clone() + sum);
    let (a, b) = (double(0), double(1));
    assert_eq!(a.operations(), usize::MAX);
    assert_eq!(a.inputs(), 1);
    assert_eq!(a, b);
    assert_ne!(a, chain(200, |product, _| product.clone() * product));
    assert!(format!("{a:?}").contains(&usize::MAX.to_string()));
    // Fewer nodes than it has operations: a handle of a part is no copy of it.
    let sum = chain(10, |sum, _| sum.clone() + sum);
    assert_eq!((sum.operations(), sum.nodes().count()), (1023, 2047));
}

#[test]
fn short_expressions_are_shown_as_they_are() {
    let shown = format!("{:?}", constant(2.0) * input(3).conj() + previous());
    assert_eq!(shown, "Add(Multiply(2, Conjugate(x3)), y)");
    let shown = format!("{:?}", constant(Complex64::new(0.0, -1.0)) / input(0));
    assert_eq!(shown, "Divide((0-1i), x0)");
}

#[test]
fn an_input_that_no_verb_takes_is_a_number_like_any_other() {
    assert_eq!(input(usize::MAX).inputs(), usize::MAX);
    assert_eq!((input(usize::MAX) + input(0)).inputs(), usize::MAX);
}
