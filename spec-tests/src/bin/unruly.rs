//! An engine for the tests of `conform --engine`. It misbehaves if the last word of a case's id is the name of a fault. For all
//! other cases it gives the answer of the rules and the reference.

#![forbid(unsafe_code)]

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::{Value, json};
use spec_tests::conform::reference_answer;
use spec_tests::vectors::{Case, Expect};

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let mut out = io::stdout().lock();
    // Count the starts in the file `UNRULY_STARTS`, and fail if there are more than `UNRULY_MOST`.
    if let Ok(file) = env::var("UNRULY_STARTS") {
        let starts = fs::read_to_string(&file).unwrap_or_default() + "x";
        fs::write(&file, &starts)?;
        let most = env::var("UNRULY_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
        if starts.len() > most {
            eprintln!("started {} times", starts.len());
            exit(4);
        }
    }
    lines.next().transpose()?;
    let protocol: u64 = env::var("UNRULY_PROTOCOL").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    writeln!(out, "{}", json!({"protocol": protocol, "engine": "unruly 1"}))?;
    let mut poisoned = false;
    for line in lines {
        let asked: Value = serde_json::from_str(&line?)?;
        let n = &asked["n"];
        let mut answer = match Case::of_call(asked["case"].clone()).and_then(|case| reference_answer(&case)) {
            Ok(Expect::Tensor { shape, data }) => json!({"n": n, "shape": shape, "data": data}),
            Ok(Expect::Error) => json!({"n": n, "error": "refused"}),
            Err(what) => json!({"n": n, "cannot": what}),
        };
        if poisoned {
            eprintln!("memory is not what it was");
            exit(5);
        }
        // Take the word after the last slash, without the number at its end.
        let id = asked["case"]["id"].as_str().unwrap_or_default();
        let word = id.rsplit('/').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
        // The word may end with a condition. The engine misbehaves only if the call fulfils it.
        let word = match word.split_once("-when-") {
            Some((word, condition)) if holds(condition, &asked["case"]) => word,
            Some(_) => "",
            None => word,
        };
        match word {
            "crash" => {
                eprintln!("about to fall over");
                exit(3);
            }
            "abort" => std::process::abort(),
            "close" => {
                // Print the beginning of an answer, then stop.
                write!(out, "{{\"n\": {n}, \"sha")?;
                out.flush()?;
                exit(0);
            }
            "hang" => thread::sleep(Duration::from_secs(1000)),
            "flood" => loop {
                writeln!(out, "all work and no answer")?;
            },
            "lie" => answer = json!({"n": n, "shape": [1], "data": [99]}),
            "waver" => answer = json!({"n": n, "shape": [1], "data": [n]}),
            "shape" => answer["shape"] = json!([7]),
            "element" => answer["data"][0] = json!("seven"),
            "refuse" => answer = json!({"n": n, "error": "no \"mood\" <today>"}),
            "accept" => answer = json!({"n": n, "shape": [0], "data": []}),
            "cannot" => answer = json!({"n": n, "cannot": "no words"}),
            "garbage" => answer = json!("Warning: something is deprecated"),
            "extra" => answer["sure"] = json!(true),
            "both" => answer["error"] = json!("and an error"),
            "other" => answer["n"] = json!(1_000_000),
            "poison" => poisoned = true,
            _ => {}
        }
        if word == "binary" {
            out.write_all(b"\xff\x00\xfe\n")?;
        } else {
            writeln!(out, "{answer}")?;
        }
        if word == "twice" {
            writeln!(out, "{answer}")?;
        }
        out.flush()?;
        if word == "leave" {
            exit(0);
        }
    }
    Ok(())
}

/// Returns whether a call fulfils a condition.
fn holds(condition: &str, case: &Value) -> bool {
    let some = |list: &str, is: fn(i64) -> bool| {
        case[list].as_array().into_iter().flatten().any(|n| n.as_i64().is_some_and(is))
    };
    match condition {
        "cropped" => some("low", |width| width < 0) || some("high", |width| width < 0),
        "long" => some("shape", |length| length > 2),
        "filled" => case.get("value").is_some_and(|value| *value != json!(0)),
        "double" => case["dtype"] == "float64",
        "mirrored" => case["mode"] == "reflect" && some("high", |width| width > 1),
        _ => panic!("no condition {condition}"),
    }
}
