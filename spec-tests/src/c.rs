//! The C interface, called with right and with wrong arguments.
#![forbid(unsafe_code)]

use arbitrary::{Result as Draw, Unstructured};
use pad_c::types::{Axis, Status};
use pad_kernels::{DType, Frame, Modes, PadMode, PadSpec};

use crate::calls::{Arguments, Buffers, Function, Plan};
use crate::case::{Case, Kind};
use crate::reach;

/// Outputs of more bytes are not made.
const MOST_BYTES: usize = 1 << 20;

impl Arguments {
    /// The arguments for a request, whose fill is `fill`.
    pub fn new(spec: &PadSpec, shape: &[usize], kind: Kind, fill: Option<Vec<u8>>) -> Arguments {
        let number = |mode: PadMode| PadMode::ALL.iter().position(|&known| known == mode).unwrap_or(0) as i32;
        let axis = |(axis, pad): (usize, &pad_kernels::AxisPad)| {
            let modes = spec.mode.of(axis).unwrap_or_default();
            let (low_mode, high_mode) = (number(modes.low), number(modes.high));
            Axis { low: pad.low, high: pad.high, interior: pad.interior, low_mode, high_mode }
        };
        let (dtype, element_bytes) = match kind {
            Kind::Tagged(dtype) => {
                (DType::ALL.iter().position(|&known| known == dtype).map_or(-1, |at| at as i32 + 1), 0)
            }
            Kind::Raw(size) => (0, size),
        };
        Arguments {
            dtype,
            frame: spec.frame.map_or(0, |frame| if frame == Frame::Uncropped { 1 } else { 2 }),
            element_bytes,
            rank: shape.len(),
            shape: Some(shape.to_vec()),
            axes: Some(spec.axes().iter().enumerate().map(axis).collect()),
            fill: fill.map(|mut fill| {
                fill.resize(fill.len().max(16), 0);
                fill
            }),
            ..Arguments::default()
        }
    }

    fn of(case: &Case) -> Arguments {
        // Without a type there is no zero.
        let fill = if let Kind::Raw(_) = case.kind { Some(case.fill_bytes()) } else { case.fill.clone() };
        Arguments::new(&case.spec(), &case.shape, case.kind, fill)
    }

    /// Makes one argument wrong, or at least another one, and says whether a status must tell.
    fn spoil(&mut self, u: &mut Unstructured<'_>) -> Draw<Option<Status>> {
        let some = |rank: usize, status| (rank > 0).then_some(status);
        let axis = u.choose_index(self.rank.max(1))?;
        Ok(match u.int_in_range(0..=9u8)? {
            0 => {
                self.shape = None;
                some(self.rank, Status::Pointer)
            }
            1 => {
                self.axes = None;
                some(self.rank, Status::Pointer)
            }
            2 => {
                self.dtype = u.int_in_range(26..=i32::MAX)?;
                Some(Status::UnknownValue)
            }
            3 => {
                self.dtype = u.int_in_range(i32::MIN..=-1)?;
                Some(Status::UnknownValue)
            }
            4 => {
                self.frame = u.arbitrary()?;
                (!(0..=2).contains(&self.frame)).then_some(Status::UnknownValue)
            }
            5 => {
                self.rank = u.int_in_range(65..=usize::MAX)?;
                Some(Status::Size)
            }
            6 => {
                self.element_bytes = 1 + u.int_in_range(0..=16)?;
                if let Some(fill) = &mut self.fill {
                    fill.resize(32, 0);
                }
                (self.dtype != 0).then_some(Status::Size)
            }
            7 => {
                self.region[u.choose_index(2)?] = Some(vec![0; self.rank]);
                Some(Status::Pointer)
            }
            8 => {
                let mode = u.arbitrary()?;
                let axes = self.axes.as_mut().and_then(|axes| axes.get_mut(axis));
                let Some(axes) = axes else { return Ok(None) };
                *(if u.arbitrary()? { &mut axes.low_mode } else { &mut axes.high_mode }) = mode;
                (!(0..=4).contains(&mode)).then_some(Status::UnknownValue)
            }
            _ => {
                // Any numbers, of which many are too large.
                let rank = self.rank;
                let mut lengths = || (0..rank).map(|_| u.arbitrary()).collect::<Draw<_>>().map(Some);
                (self.shape, self.region) = (lengths()?, [lengths()?, lengths()?]);
                let strides = (0..rank).map(|_| u.arbitrary()).collect::<Draw<_>>()?;
                self.strides[u.choose_index(2)?] = Some(strides);
                None
            }
        })
    }
}

/// Draws a call, spoils it in half of the inputs, and compares what it returns and writes with the reference.
pub fn check(u: &mut Unstructured<'_>) -> Draw<Result<(), String>> {
    let mut case = u.arbitrary::<Case>()?.with_one_fill();
    // One rank is for all.
    case.axes.resize(case.shape.len(), Default::default());
    if let Modes::Each(modes) = &mut case.mode {
        modes.resize(case.shape.len(), Default::default());
    }
    let mut arguments = Arguments::of(&case);
    let text = case.kind == Kind::Tagged(DType::String);
    let spoilt = !text && u.ratio(1, 2)?;
    let told = match spoilt {
        true => arguments.spoil(u)?,
        false => text.then_some(Status::UnknownValue),
    };
    let plan = match (Plan::new(&arguments), told) {
        (Err(status), Some(told)) if status == told => {
            reach::refused_by(format!("{status:?}"));
            return Ok(Ok(()));
        }
        (Err(Status::Refused), None) if spoilt || case.map().is_err() || case.lacks_fill() => {
            reach::refused_by("Refused".into());
            return Ok(Ok(()));
        }
        (Err(status), _) => return Ok(Err(format!("{status:?}, not {told:?}, for {arguments:?}"))),
        (Ok(_), Some(told)) => return Ok(Err(format!("a plan, not {told:?}, for {arguments:?}"))),
        (Ok(plan), None) => plan,
    };
    reach::accepted();
    let [read, written] = plan.bytes();
    if read.max(written) > MOST_BYTES {
        return Ok(Ok(()));
    }
    let (_, shape) = plan.output_shape(arguments.rank);
    let untouched = vec![0xa5; read + written + 1];
    let mut memory = untouched.clone();
    if !spoilt {
        memory[..read].copy_from_slice(&case.data());
    }
    let right = Buffers { src: (Some(0), read), dst: (Some(read), written) };
    if u.ratio(1, 2)? {
        let mut wrong = right;
        let side = if u.arbitrary()? { &mut wrong.src } else { &mut wrong.dst };
        let told = match u.int_in_range(0..=3u8)? {
            0 if side.1 > 0 => {
                side.0 = None;
                Status::Pointer
            }
            1 if side.1 > 0 => {
                side.1 -= 1;
                Status::Size
            }
            2 => {
                side.1 = u.int_in_range(isize::MAX as usize + 1..=usize::MAX)?;
                Status::Size
            }
            _ if read > 0 && written > 0 => {
                wrong.dst.0 = Some(read - 1);
                Status::Overlap
            }
            _ => return Ok(Ok(())),
        };
        let before = memory.clone();
        let found = [plan.run(Function::Run, &mut memory, wrong), arguments.once(&mut memory, wrong)];
        return Ok(if found == [told; 2] && memory == before {
            Ok(())
        } else {
            Err(format!("{found:?}, not {told:?}, for {arguments:?}"))
        });
    }
    let function = *u.choose(&[Function::Run, Function::Run, Function::Adjoint, Function::Borders])?;
    if function != Function::Run {
        // Other tests know the result. Here nothing else may be written.
        let buffers = if function == Function::Adjoint {
            Buffers { src: (Some(read), written), dst: (Some(0), read) }
        } else {
            right
        };
        let before = memory.clone();
        let status = plan.run(function, &mut memory, buffers);
        let kept = if function == Function::Adjoint { read..memory.len() } else { 0..read };
        let kept = memory[kept.clone()] == before[kept] && memory.last() == before.last();
        let fine = kept
            && [Status::Ok, Status::Refused].contains(&status)
            && (status == Status::Ok || memory == before);
        return Ok(if fine { Ok(()) } else { Err(format!("{status:?} of {function:?} for {arguments:?}")) });
    }
    let mut again = memory.clone();
    let found = [plan.run(function, &mut memory, right), arguments.once(&mut again, right)];
    if found != [Status::Ok; 2] || memory != again || memory[read + written] != 0xa5 {
        return Ok(Err(format!("{found:?} for {arguments:?}")));
    }
    if let (false, Ok(map)) = (spoilt, case.map())
        && (shape != map.shape || memory[read..read + written] != case.output(&map, &memory[..read]))
    {
        return Ok(Err(format!("another output than the reference's for {arguments:?}")));
    }
    Ok(Ok(()))
}
