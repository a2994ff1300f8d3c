//! The C interface as an engine for `conform --engine`. The protocol is in `spec-tests/engines/PROTOCOL.md`.
//!
//! Dialects are the library's: each gives a request, which the C interface plans and runs.
#![forbid(unsafe_code)]

use std::io;

use pad_c::types::Status;
use pad_kernels::{DType, PadMode, PadSpec, pad_bytes};
use serde_json::{Value, json};
use spec_tests::c::{self, Arguments};
use spec_tests::case::Kind;
use spec_tests::conform::request;
use spec_tests::rules::{Refused, Type};
use spec_tests::vectors::{Case, Elements};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = io::stdin().lines();
    lines.next().transpose()?;
    println!("{}", json!({"protocol": spec_tests::engine::PROTOCOL, "engine": "pad_kernels.h"}));
    for line in lines {
        let asked: Value = serde_json::from_str(&line?)?;
        let mut answer = answer(&asked["case"]).unwrap_or_else(|refused| match refused {
            Refused::Rule(rule) => json!({"error": rule}),
            Refused::Unknown(what) => json!({"cannot": what}),
        });
        answer["n"] = asked["n"].clone();
        println!("{answer}");
    }
    Ok(())
}

/// The tensor, or why there is none.
fn answer(told: &Value) -> Result<Value, Refused> {
    let case = Case::of_call(told).map_err(Refused::Unknown)?;
    let spec = request(&case)?;
    let unknown = || Refused::Unknown(format!("type {}", case.dtype));
    let element = Type::from_name(&case.dtype).ok_or_else(unknown)?;
    let dtype: DType = element.name().parse().map_err(|_| unknown())?;
    let input = case.input(element).map_err(Refused::Unknown)?;
    let Elements::Bytes(input) = input else { return Err(Refused::Unknown("C has no text".into())) };
    if spec.axes().len() != case.shape.len() {
        return Err(Refused::Unknown("C has one rank for a request".into()));
    }
    let arguments = Arguments::new(&spec, &case.shape, Kind::Tagged(dtype), fill(&spec, dtype)?);
    let refused = |status: Status| Refused::Rule(format!("{status:?}"));
    let plan = arguments.plan().map_err(refused)?;
    let ([read, written], shape) = c::sizes(&plan);
    let run = |plan| {
        let mut memory = [&input[..], &vec![0xa5; written]].concat();
        match arguments.run(plan, &mut memory, (Some(0), read), (Some(read), written), 0) {
            Status::Ok => Ok(memory.split_off(read)),
            status => Err(refused(status)),
        }
    };
    let output = run(Some(&*plan))?;
    if output != run(None)? {
        return Err(Refused::Rule("pad_run and pad_once differ".into()));
    }
    let output = Elements::Bytes(output);
    let data = output.to_json(element, shape.iter().product()).map_err(Refused::Unknown)?;
    Ok(json!({"shape": shape, "data": data}))
}

/// The bytes of a request's fill, which the library tells by padding with it.
fn fill(spec: &PadSpec, dtype: DType) -> Result<Option<Vec<u8>>, Refused> {
    let Some(fill) = spec.fill.clone() else { return Ok(None) };
    let mut border = PadSpec::new(PadMode::Constant, [(1, 0)]);
    border.fill = Some(fill);
    pad_bytes(&[], &[0], dtype, &border).map(Some).map_err(|error| Refused::Unknown(error.to_string()))
}
