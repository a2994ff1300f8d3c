//! Strided tensors and windows of the output, against the reference.
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

fn get(buf: &[u8], bits: usize, i: usize) -> u128 {
    if bits >= 8 {
        let k = bits / 8;
        let mut b = [0u8; 16];
        b[..k].copy_from_slice(&buf[i * k..(i + 1) * k]);
        u128::from_le_bytes(b)
    } else {
        (buf[i * bits / 8] >> (i * bits % 8)) as u128 & ((1 << bits) - 1)
    }
}

#[test]
fn views() {
    let mut s: u64 = 987654321;
    let mut rnd = |n: u64| {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        s % n
    };
    let types = [DType::U8, DType::U16, DType::F32, DType::F64, DType::C128, DType::I4, DType::I2];
    for case in 0..40000 {
        let rank = rnd(6) as usize;
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
        let dt = types[rnd(7) as usize];
        let bits = match dt.layout() {
            Layout::Bytes(k) => 8 * k,
            Layout::Bits(b) => b,
            _ => 0,
        };
        let fillv: Vec<u8> = match dt.layout() {
            Layout::Bytes(k) => (0..k).map(|i| 0xA0 + i as u8).collect(),
            _ => vec![0b1001 & ((1 << bits) - 1)],
        };
        let spec = PadSpec::new(mode, axes.iter().copied()).with_fill_bytes(dt, &fillv);
        let raxes: Vec<r::AxisPad> =
            axes.iter().map(|a| r::AxisPad { low: a.low, high: a.high, interior: a.interior }).collect();
        let Ok(map) = r::map(&shape, &raxes, rm(mode), rm(mode).default_frame(), bits as u32) else {
            continue;
        };
        let plan = PadPlan::for_dtype(&spec, &shape, dt).unwrap();
        if map.source.len() > 20000 {
            continue;
        }
        // strides
        let mut mk = |shape: &[usize], input: bool| {
            let mut order: Vec<usize> = (0..shape.len()).collect();
            if rnd(2) == 0 {
                for i in (1..order.len()).rev() {
                    order.swap(i, rnd(i as u64 + 1) as usize);
                }
            }
            let mut strides = vec![0isize; shape.len()];
            let mut st = if rnd(3) == 0 { 1 + rnd(3) as isize } else { 1 };
            let (mut off, mut end) = (0isize, 0isize);
            for &a in order.iter().rev() {
                let mut v = if input && rnd(6) == 0 { 0 } else { st };
                let reach = v * shape[a].saturating_sub(1) as isize;
                if rnd(4) == 0 {
                    v = -v;
                    off += reach;
                }
                end += reach;
                strides[a] = v;
                st = st * shape[a].max(1) as isize + if rnd(4) == 0 { rnd(3) as isize } else { 0 };
            }
            let extra = rnd(5) as isize;
            let lead = rnd(4) as isize;
            (
                Strides::new((off + lead) as usize, strides.iter().copied()),
                strides,
                off + lead,
                (end + 1 + lead + extra) as usize,
            )
        };
        let (si, sti, oi, li) = mk(&shape, true);
        let (so, sto, oo, lo) = mk(plan.output_shape(), false);
        let sp = plan.with_strides(&si, &so).unwrap();
        let so_min = sto
            .iter()
            .zip(plan.output_shape())
            .map(|(s, n)| (-s * (n.saturating_sub(1)) as isize).max(0))
            .sum::<isize>() as usize;
        let bytes = |n: usize| (n * bits).div_ceil(8);
        let src: Vec<u8> = (0..bytes(li)).map(|_| rnd(256) as u8).collect();
        let junk: Vec<u8> = (0..bytes(lo)).map(|_| rnd(256) as u8).collect();
        let flat = |idx: usize, shape: &[usize], st: &[isize], off: isize| {
            let mut rest = idx;
            let mut p = off;
            for a in (0..shape.len()).rev() {
                p += (rest % shape[a]) as isize * st[a];
                rest /= shape[a];
            }
            p as usize
        };
        let mut written = vec![None; lo];
        for (o, m) in map.source.iter().enumerate() {
            let v = match m {
                None => get(&fillv, bits, 0),
                Some(i) => get(&src, bits, flat(*i, &shape, &sti, oi)),
            };
            written[flat(o, &map.shape, &sto, oo)] = Some(v);
        }
        let mut plans: Vec<PadPlan> = Isa::ALL.iter().filter_map(|&i| sp.clone().with_isa(i).ok()).collect();
        plans.push(sp.clone().with_generic_kernel());
        for p in &plans {
            let mut dst = junk.clone();
            p.run_bytes(&src, &mut dst).unwrap();
            let dense = p.run_uninit::<u8>(&[], &mut []).err();
            let _ = dense;
            for (i, w) in written.iter().enumerate() {
                let got = get(&dst, bits, i);
                let dense_tail = bits < 8
                    && oo as usize - so_min == 0
                    && i >= map.source.len()
                    && i / (8 / bits) == map.source.len() / (8 / bits)
                    && got == 0;
                if dense_tail {
                    continue;
                }
                assert_eq!(
                    got,
                    w.unwrap_or(get(&junk, bits, i)),
                    "case {case} at {i} {dt} {shape:?} {spec:?} in {si:?} out {so:?}\n{p:?}\n{:?}",
                    p.kernel()
                );
            }
        }
        // windows
        let win: Vec<std::ops::Range<usize>> = plan
            .output_shape()
            .iter()
            .map(|&n| {
                let a = rnd(n as u64 + 1) as usize;
                let b = a + rnd((n - a) as u64 + 1) as usize;
                a..b
            })
            .collect();
        let data: Vec<u8> = (0..plan.input_bytes()).map(|_| rnd(256) as u8).collect();
        let wp = plan.window(&win).unwrap();
        let pp = plan.window_of_part(&win).unwrap();
        let part = plan.source_window(&win).unwrap();
        let mut want = vec![];
        let n: usize = win.iter().map(|r| r.len()).product();
        for k in 0..n {
            let mut rest = k;
            let mut pos = vec![0; rank];
            for a in (0..rank).rev() {
                pos[a] = win[a].start + rest % win[a].len();
                rest /= win[a].len();
            }
            let o = pos.iter().zip(&map.shape).fold(0, |f, (&i, &d)| f * d + i);
            want.push(match map.source[o] {
                None => get(&fillv, bits, 0),
                Some(i) => get(&data, bits, i),
            });
        }
        let pn: usize = part.iter().map(|r| r.len()).product();
        let mut pdata = vec![0u8; bytes(pn)];
        for k in 0..pn {
            let mut rest = k;
            let mut pos = vec![0; rank];
            for a in (0..rank).rev() {
                pos[a] = part[a].start + rest % part[a].len();
                rest /= part[a].len();
            }
            let i = pos.iter().zip(&shape).fold(0, |f, (&i, &d)| f * d + i);
            let v = get(&data, bits, i);
            if bits >= 8 {
                pdata[k * bits / 8..(k + 1) * bits / 8].copy_from_slice(&v.to_le_bytes()[..bits / 8]);
            } else {
                pdata[k * bits / 8] |= (v as u8) << (k * bits % 8);
            }
        }
        for (p, d) in [(&wp, &data), (&pp, &pdata)] {
            let mut dst = vec![rnd(256) as u8; bytes(n)];
            assert_eq!(p.output_bytes(), bytes(n));
            p.run_bytes(d, &mut dst).unwrap();
            for (i, w) in want.iter().enumerate() {
                assert_eq!(
                    get(&dst, bits, i),
                    *w,
                    "window case {case} at {i} {dt} {shape:?} {spec:?} {win:?} {part:?}\n{p:?}"
                );
            }
        }
    }
}
