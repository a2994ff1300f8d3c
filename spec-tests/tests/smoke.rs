//! smoke
use pad_kernels::*;
use spec_tests::reference as r;
fn rm(m: PadMode) -> r::Mode {
    match m {
        PadMode::Constant => r::Mode::Constant,
        PadMode::Edge => r::Mode::Edge,
        PadMode::Reflect => r::Mode::Reflect,
        PadMode::Symmetric => r::Mode::Symmetric,
        PadMode::Wrap => r::Mode::Wrap,
    }
}
#[test]
fn smoke() {
    let mut s: u64 = 12345;
    let mut rnd = |n: u64| {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s % n
    };
    let types = [DType::U8, DType::U16, DType::F32, DType::F64, DType::C128, DType::I4, DType::I2];
    let mut oks = 0;
    let mut kernels = std::collections::BTreeMap::<String, usize>::new();
    for case in 0..60000 {
        let rank = rnd(8) as usize;
        let maxd = [40, 40, 9, 5, 4, 3, 3, 2][rank];
        let shape: Vec<usize> = (0..rank).map(|_| rnd(maxd) as usize + (rnd(20) > 0) as usize).collect();
        let axes: Vec<AxisPad> = (0..rank)
            .map(|_| {
                if rnd(3) == 0 {
                    AxisPad::new(0, 0)
                } else {
                    AxisPad {
                        low: rnd(2 * maxd) as i64 - maxd as i64 / 2,
                        high: rnd(2 * maxd) as i64 - maxd as i64 / 2,
                        interior: if rnd(3) == 0 { rnd(4) } else { 0 },
                    }
                }
            })
            .collect();
        let mode = PadMode::ALL[rnd(5) as usize];
        let frame = [Frame::Uncropped, Frame::Cropped][rnd(2) as usize];
        let dt = types[rnd(7) as usize];
        let fillv: Vec<u8> = match dt.layout() {
            Layout::Bytes(k) => (0..k).map(|i| 0xA0 + i as u8).collect(),
            _ => vec![0b1001],
        };
        let spec = PadSpec::new(mode, axes.iter().copied()).with_frame(frame).with_fill_bytes(dt, &fillv);
        let bits = match dt.layout() {
            Layout::Bytes(k) => 8 * k as u32,
            Layout::Bits(b) => b as u32,
            _ => 0,
        };
        let raxes: Vec<r::AxisPad> =
            axes.iter().map(|a| r::AxisPad { low: a.low, high: a.high, interior: a.interior }).collect();
        let want = r::map(
            &shape,
            &raxes,
            rm(mode),
            match frame {
                Frame::Uncropped => r::Frame::Uncropped,
                _ => r::Frame::Cropped,
            },
            bits,
        );
        let plan = PadPlan::for_dtype(&spec, &shape, dt);
        match (want, plan) {
            (Err(_), Err(_)) => {}
            (Ok(map), Ok(plan)) => {
                if map.source.len() > 100000 {
                    continue;
                }
                oks += 1;
                assert_eq!(map.shape, plan.output_shape());
                let data: Vec<u8> = (0..plan.input_bytes()).map(|i| (i % 251) as u8).collect();
                let want = match dt.layout() {
                    Layout::Bytes(_) => map.apply_bytes(&data, &fillv),
                    Layout::Bits(b) => map.apply_packed(&data, b as u32, fillv[0]),
                    _ => vec![],
                };
                let mut plans: Vec<PadPlan> =
                    Isa::ALL.iter().filter_map(|&i| plan.clone().with_isa(i).ok()).collect();
                plans.push(plan.clone().with_generic_kernel());
                for plan in plans {
                    let mut got = vec![rnd(256) as u8; plan.output_bytes()];
                    plan.run_bytes(&data, &mut got).unwrap();
                    assert_eq!(
                        got,
                        want,
                        "case {case} {dt} {shape:?} {spec:?} {frame:?}\n{plan:?}\n{:?}",
                        plan.kernel()
                    );
                    *kernels
                        .entry(plan.kernel().map_or("generic".into(), |k| k.name().to_string()))
                        .or_default() += 1;
                }
            }
            (w, p) => panic!("case {case} {shape:?} {spec:?} {w:?} {p:?}"),
        }
    }
    println!("{oks} {} kernels {:?}", kernels.len(), kernels.get("generic"));
}
