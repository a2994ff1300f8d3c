//! Splits an axis of an adjoint into two steps. This changes the order of the additions, so it applies only to types whose sums do not
//! depend on the order, such as integers.
//!
//! The first step adds positions to partial sums. Their number is that of the sums in a register. The second step adds the partial sums to
//! the elements. For `[a b a b a b a b]` and four lanes, the partial sums are `[a+a b+b a+a b+b]`.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::fold::{Again, Fold, Group, Kind};
use super::form::Term;

/// The element number of a position that is not added to any element.
const NONE: usize = usize::MAX;

/// A range of positions whose element numbers repeat every `period` positions.
struct Stretch {
    start: usize,
    end: usize,
    /// The number of partial sums of this range. If the range does not repeat, there is one per position.
    sums: usize,
}

impl Fold {
    /// Returns the two steps, or `None` if they are not worth it. A repeating range gets at most `lanes` partial sums, and `register` is
    /// the number of sums in a register.
    pub(crate) fn in_parts(&self, lanes: usize, register: usize) -> Option<(Fold, Fold)> {
        // The first step only copies the positions that do not repeat, so it must save more additions than that.
        let least = (register / 2).max(self.outputs / 8).max(1);
        if self.count_terms() < self.inputs + least {
            return None;
        }
        let mut elements = alloc::vec![NONE; self.outputs];
        for group in &self.groups {
            for i in group.start..group.end {
                self.positions(group, i, |position| elements[position as usize] = i);
            }
        }
        let stretches = stretches(&elements, lanes);
        let sums: usize = stretches.iter().map(|stretch| stretch.sums).sum();
        if self.outputs - sums < least || sums <= self.inputs {
            return None;
        }
        let mut first = Fold::between(self.outputs, sums);
        let mut of_elements = alloc::vec![Vec::new(); self.inputs];
        let mut at = 0;
        for Stretch { start, end, sums } in stretches {
            let (times, rest) = ((end - start) / sums, (end - start) % sums);
            let terms = |from: usize, times: usize| (0..times).map(move |time| start + from + time * sums);
            first.push_terms(rest, terms(0, times + 1));
            first.push_terms(sums - rest, terms(rest, times));
            for sum in 0..sums {
                if let Some(element) = of_elements.get_mut(elements[start + sum]) {
                    element.push(at + sum);
                }
            }
            at += sums;
        }
        let mut second = Fold::between(sums, self.inputs);
        let mut start = 0;
        while start < self.inputs {
            // Consecutive elements with one partial sum each become one group.
            let beside = |pair: &[Vec<usize>]| match pair {
                [a, b] => a.len() == 1 && b.len() == 1 && a[0] + 1 == b[0],
                _ => false,
            };
            let count = 1 + of_elements[start..].windows(2).take_while(|pair| beside(pair)).count();
            second.push_terms(count, of_elements[start].iter().copied());
            start += count;
        }
        Some((first, second))
    }

    /// Returns an axis without groups.
    fn between(outputs: usize, inputs: usize) -> Fold {
        Fold {
            inputs,
            outputs,
            read: 0,
            write: 0,
            groups: SmallVec::new(),
            terms: SmallVec::new(),
            again: SmallVec::from_slice(&[Again::never(outputs)]),
        }
    }

    /// Adds a group of `count` elements. `positions` are those of the first element, and each next element has the positions after them.
    fn push_terms(&mut self, count: usize, positions: impl Iterator<Item = usize>) {
        if count == 0 {
            return;
        }
        let start = self.groups.last().map_or(0, |group| group.end);
        let first = self.terms.len();
        self.terms.extend(positions.map(|at| Term { at: at as isize, step: 1, hold: 1 }));
        let kind = match self.terms.len() - first {
            0 => Kind::Empty,
            1 => Kind::Single,
            _ => Kind::Sum,
        };
        self.groups.push(Group { start, end: start + count, terms: (first, self.terms.len()), kind });
    }
}

/// Divides the positions into ranges, in order. `elements` holds the element number of each position.
fn stretches(elements: &[usize], lanes: usize) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut start = 0;
    while start < elements.len() {
        let of_period = |period: usize| {
            let repeats = elements[start..].iter().zip(&elements[start + period..]);
            let end = start + period + repeats.take_while(|(a, b)| a == b).count();
            Stretch { start, end, sums: lanes / period * period }
        };
        let longest =
            (1..=lanes.min(elements.len() - start)).map(of_period).max_by_key(|stretch| stretch.end);
        match longest {
            Some(stretch) if stretch.end - start >= 2 * lanes => {
                start = stretch.end;
                stretches.push(stretch);
            }
            _ => {
                match stretches.last_mut() {
                    Some(last) if last.sums == last.end - last.start => {
                        (last.end, last.sums) = (last.end + 1, last.sums + 1)
                    }
                    _ => stretches.push(Stretch { start, end: start + 1, sums: 1 }),
                }
                start += 1;
            }
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the element number of every position.
    fn elements(fold: &Fold) -> Vec<Option<usize>> {
        let mut elements = alloc::vec![None; fold.outputs];
        let mut next = 0;
        for group in &fold.groups {
            assert_eq!(group.start, next);
            next = group.end;
            for i in group.start..group.end {
                fold.positions(group, i, |position| {
                    assert_eq!(elements[position as usize].replace(i), None);
                });
            }
        }
        assert_eq!(next, fold.inputs);
        elements
    }

    fn axis(inputs: usize, element: impl Fn(usize) -> Option<usize>, outputs: usize) -> Fold {
        let mut fold = Fold::between(outputs, inputs);
        for i in 0..inputs {
            fold.push_terms(1, (0..outputs).filter(|&position| element(position) == Some(i)));
        }
        fold
    }

    #[test]
    fn positions_go_to_their_elements_by_partial_sums() {
        let edge = |position: usize| Some(position.clamp(70, 75) - 70);
        let wrap = |position: usize| Some(position % 3);
        let mirror =
            |position: usize| Some(if position % 10 < 5 { position % 10 } else { 9 - position % 10 });
        let cropped = |position: usize| (position % 7 < 6).then_some(position % 7);
        for (fold, most) in [
            (axis(6, edge, 150), 38),
            (axis(3, wrap, 200), 15),
            (axis(5, mirror, 130), 10),
            (axis(6, cropped, 100), 14),
            (axis(3, |position| if position < 90 { Some(1) } else { Some(2) }, 100), 26),
        ] {
            let (first, second) = fold.in_parts(16, 16).expect("many positions are added to each");
            assert!(first.inputs <= most && first.inputs == second.outputs, "{}", first.inputs);
            let (to_sums, to_elements) = (elements(&first), elements(&second));
            let by_sums: Vec<_> = to_sums.iter().map(|sum| to_elements[sum.expect("a sum")]).collect();
            assert_eq!(by_sums, elements(&fold));
        }
    }

    #[test]
    fn few_positions_are_added_at_once() {
        assert!(axis(40, |position| Some(position.clamp(2, 41) - 2), 44).in_parts(16, 16).is_none());
        assert!(axis(9, |position| Some(position % 9), 18).in_parts(16, 16).is_none());
    }
}
