//! Makes the C interface an engine for `conform --engine`. The file `spec-tests/engines/PROTOCOL.md` describes the protocol.
//!
//! The library's dialects translate each case to a request. The C interface plans and runs this request.
#![forbid(unsafe_code)]

use std::io;

use pad_c::types::Status;
use pad_kernels::{PadSpec, pad_bytes};
use serde_json::{Value, json};
use spec_tests::c::{self, Arguments};
use spec_tests::case::Kind;
use spec_tests::conform::{dtype, request};
use spec_tests::rules::Refused;
use spec_tests::vectors::{Case, Elements};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = io::stdin().lines();
    lines.next().transpose()?;
    println!("{}", json!({"protocol": spec_tests::engine::PROTOCOL, "engine": "pad_kernels.h"}));
    for line in lines {
        let asked: Value = serde_json::from_str(&line?)?;
        let mut answer = answer(&asked["case"]).unwrap_or_else(|refused| match refused {
            Refused::Rule(rule) => json!({"error": rule}),
            Refused::Unknown(what) | Refused::Broken(what) => json!({"cannot": what}),
        });
        answer["n"] = asked["n"].clone();
        println!("{answer}");
    }
    Ok(())
}

/// Returns the answer to a case: the output tensor, or the reason for a refusal.
fn answer(told: &Value) -> Result<Value, Refused> {
    let case = Case::of_call(told).map_err(Refused::Unknown)?;
    let spec = request(&case)?;
    let dtype = dtype(&case);
    let Elements::Bytes(input) = case.input().map_err(Refused::Unknown)? else {
        return Err(Refused::Unknown("C has no text".into()));
    };
    if spec.axes().len() != case.shape.len() {
        return Err(Refused::Unknown("C has one rank for a request".into()));
    }
    // To get the bytes of the fill, pad an empty tensor with one element.
    let fill = spec.fill.clone().map(|fill| PadSpec::constant([(1, 0)], fill));
    let fill = fill.map(|border| pad_bytes(&[], &[0], dtype, &border)).transpose();
    let fill = fill.map_err(|error| Refused::Unknown(error.to_string()))?;
    let arguments = Arguments::new(&spec, &case.shape, Kind::Tagged(dtype), fill);
    let refused = |status: Status| Refused::Rule(format!("{status:?}"));
    let plan = arguments.plan().map_err(refused)?;
    let ([read, written], shape) = c::sizes(&plan);
    let run = |plan| {
        let mut memory = [&input[..], &vec![0xa5; written]].concat();
        let buffers = [(Some(0), read), (Some(read), written)];
        let status = arguments.call(plan, &mut memory, buffers)();
        if status == Status::Ok { Ok(Elements::Bytes(memory.split_off(read))) } else { Err(refused(status)) }
    };
    let output = run(Some(&*plan))?;
    if output != run(None)? {
        return Err(Refused::Rule("pad_run and pad_once differ".into()));
    }
    let data = output.to_json(case.dtype, shape.iter().product());
    Ok(json!({"shape": shape, "data": data}))
}
