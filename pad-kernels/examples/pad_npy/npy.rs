//! Reads and writes the header of a `.npy` file, versions 1 to 3.

use std::io::{self, Read, Write};
use std::ops::Range;

/// An error of a file.
#[derive(Debug)]
pub(crate) enum NpyError {
    /// The file could not be read or written.
    Io(io::Error),
    /// The file has another format, or it cannot be padded.
    Format(String),
}

impl From<io::Error> for NpyError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => NpyError::Format("it ends before its header does".into()),
            _ => NpyError::Io(error),
        }
    }
}

impl std::fmt::Display for NpyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NpyError::Io(error) => error.fmt(f),
            NpyError::Format(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for NpyError {}

fn wrong<T>(what: impl Into<String>) -> Result<T, NpyError> {
    Err(NpyError::Format(what.into()))
}

/// The contents of a header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) version: u8,
    /// The element type as the header writes it.
    pub(crate) descr: String,
    /// The kind of elements that `descr` names.
    pub(crate) kind: Kind,
    /// The size of an element in bytes.
    pub(crate) item: usize,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
}

/// The properties of an element type that decide how a fill value is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kind {
    /// numpy's letter for the kind, which is `V` for records.
    pub(crate) letter: u8,
    pub(crate) big_endian: bool,
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// The maximum length of a header. numpy has a limit of 10 kB by default.
const LONGEST: usize = 1 << 24;

/// The maximum size of an element in bytes, because memory must hold a few elements.
const LARGEST: usize = 1 << 22;

/// The maximum depth of brackets, for records that contain records.
const DEEPEST: usize = 64;

impl Header {
    /// Reads up to the first byte of the data. Returns the header, and the number of bytes that were read.
    pub(crate) fn read(from: &mut impl Read) -> Result<(Header, u64), NpyError> {
        let mut start = [0; 8];
        from.read_exact(&mut start)?;
        if !start.starts_with(MAGIC) {
            return wrong("it is no .npy file");
        }
        let version = start[6];
        let (len, prefix) = match (version, start[7]) {
            (1, 0) => {
                let mut len = [0; 2];
                from.read_exact(&mut len)?;
                (usize::from(u16::from_le_bytes(len)), 10)
            }
            (2 | 3, 0) => {
                let mut len = [0; 4];
                from.read_exact(&mut len)?;
                (u32::from_le_bytes(len) as usize, 12)
            }
            (major, minor) => {
                return wrong(format!("its format is {major}.{minor}: known are 1.0, 2.0 and 3.0"));
            }
        };
        if len > LONGEST {
            return wrong(format!("its header claims {len} bytes"));
        }
        let mut text = vec![0; len];
        from.read_exact(&mut text)?;
        let text = match version {
            3 => String::from_utf8(text).or_else(|_| wrong("its header is no UTF-8"))?,
            _ => text.into_iter().map(char::from).collect(),
        };
        Ok((Header::parse(version, &text)?, prefix + len as u64))
    }

    fn parse(version: u8, text: &str) -> Result<Header, NpyError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let parsed = parser.value()?;
        let Value::Dict(entries) = parsed else { return wrong("its header is no dictionary") };
        if !text[parser.at..].trim().is_empty() {
            return wrong("something follows its header's dictionary");
        }
        let get = |name: &str| {
            let found = entries.iter().rev().find(|(key, ..)| matches!(key, Value::Text(key) if key == name));
            found
                .map(|(_, value, span)| (value, span.clone()))
                .ok_or(NpyError::Format(format!("its header has no {name}")))
        };
        let (descr, span) = get("descr")?;
        let (item, kind) = type_of(descr)?;
        if item > LARGEST {
            return wrong(format!("its elements have {item} bytes, more than {LARGEST}"));
        }
        let fortran = match get("fortran_order")?.0 {
            Value::Word("True") => true,
            Value::Word("False") => false,
            other => return wrong(format!("fortran_order is {other:?}")),
        };
        let shape = match get("shape")?.0 {
            Value::List(shape) => shape.iter().map(|length| match length {
                Value::Int(length) => Ok(*length),
                other => wrong(format!("a length of its shape is {other:?}")),
            }),
            other => return wrong(format!("its shape is {other:?}")),
        };
        let shape = shape.collect::<Result<_, _>>()?;
        Ok(Header { version, descr: text[span].into(), kind, item, fortran, shape })
    }

    /// Writes everything before the data.
    pub(crate) fn write(&self, to: &mut impl Write) -> Result<(), NpyError> {
        let lengths: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if lengths.len() == 1 { "," } else { "" };
        let fortran = if self.fortran { "True" } else { "False" };
        let text = format!(
            "{{'descr': {}, 'fortran_order': {fortran}, 'shape': ({}{comma}), }}",
            self.descr,
            lengths.join(", ")
        );
        // Up to version 2, a character has one byte. The header was read from a file of the same version, so it has no longer
        // characters.
        let mut bytes: Vec<u8> = match self.version {
            3 => text.into_bytes(),
            _ => text.chars().map(|c| c as u8).collect(),
        };
        let long = self.version > 1 || bytes.len() + 10 + 64 > usize::from(u16::MAX);
        let prefix = if long { 12 } else { 10 };
        // Spaces fill the header so that the data is aligned. The last byte is a new line.
        bytes.resize((prefix + bytes.len() + 1).next_multiple_of(64) - prefix - 1, b' ');
        bytes.push(b'\n');
        to.write_all(MAGIC)?;
        if long {
            let Ok(len) = u32::try_from(bytes.len()) else { return wrong("the header is too long") };
            to.write_all(&[self.version.max(2), 0])?;
            to.write_all(&len.to_le_bytes())?;
        } else {
            to.write_all(&[1, 0])?;
            to.write_all(&(bytes.len() as u16).to_le_bytes())?;
        }
        Ok(to.write_all(&bytes)?)
    }
}

/// Returns the size and the kind of an element, such as `'<f4'` or a list of fields for a record.
fn type_of(descr: &Value) -> Result<(usize, Kind), NpyError> {
    let record = Kind { letter: b'V', big_endian: false };
    match descr {
        Value::Text(text) => simple_type(text),
        Value::List(fields) => {
            let mut size = 0usize;
            for field in fields {
                let (of, shape) = match field {
                    Value::List(parts) => match &parts[..] {
                        [_, of] => (of, &[][..]),
                        [_, of, Value::List(shape)] => (of, &shape[..]),
                        _ => return wrong("a field of its type is no name and type"),
                    },
                    _ => return wrong("a field of its type is no tuple"),
                };
                let mut bytes = type_of(of)?.0;
                for length in shape {
                    let Value::Int(length) = length else { return wrong("the shape of a field is no shape") };
                    bytes =
                        bytes.checked_mul(*length).ok_or(NpyError::Format("its type is too large".into()))?;
                }
                size = size.checked_add(bytes).ok_or(NpyError::Format("its type is too large".into()))?;
            }
            Ok((size, record))
        }
        other => wrong(format!("its type is {other:?}")),
    }
}

fn simple_type(text: &str) -> Result<(usize, Kind), NpyError> {
    let unknown = || NpyError::Format(format!("its type {text:?} is not known"));
    let (order, rest) = match text.as_bytes().first() {
        Some(order @ (b'<' | b'>' | b'=' | b'|')) => (*order, &text[1..]),
        _ => (b'=', text),
    };
    let letter = *rest.as_bytes().first().ok_or_else(unknown)?;
    if letter == b'O' {
        return wrong("it holds Python objects, which are no plain data");
    }
    let digits = rest.get(1..).ok_or_else(unknown)?;
    // The type of a time contains its unit, as in `<M8[ns]`.
    let digits = match digits.split_once('[') {
        Some((digits, unit)) if matches!(letter, b'M' | b'm') && unit.ends_with(']') => digits,
        _ => digits,
    };
    let size: usize = digits.parse().ok().filter(|_| !digits.starts_with('+')).ok_or_else(unknown)?;
    let size = match (letter, size) {
        (b'b', 1) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'f', 2 | 4 | 8 | 10 | 12 | 16) => size,
        (b'c', 8 | 16 | 20 | 24 | 32) | (b'M' | b'm', 8) | (b'S' | b'a' | b'V', _) => size,
        (b'U', _) => size.checked_mul(4).ok_or_else(unknown)?,
        _ => return Err(unknown()),
    };
    let big_endian = order == b'>' || order != b'<' && cfg!(target_endian = "big");
    Ok((size, Kind { letter: if letter == b'a' { b'S' } else { letter }, big_endian }))
}

/// The Python literals that occur in headers. A tuple is read as a list.
#[derive(Debug)]
enum Value<'a> {
    Text(String),
    Int(usize),
    Word(&'a str),
    List(Vec<Value<'a>>),
    Dict(Vec<(Value<'a>, Value<'a>, Range<usize>)>),
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The number of open brackets.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips spaces. Then skips `wanted`, if it is next.
    fn take(&mut self, wanted: char) -> bool {
        self.spaces();
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn fail<T>(&self) -> Result<T, NpyError> {
        let near: String = self.rest().chars().take(20).collect();
        wrong(format!("its header cannot be read at byte {} ({near:?})", self.at))
    }

    fn value(&mut self) -> Result<Value<'a>, NpyError> {
        if self.depth == DEEPEST {
            return self.fail();
        }
        self.depth += 1;
        let value = self.any_value();
        self.depth -= 1;
        value
    }

    fn any_value(&mut self) -> Result<Value<'a>, NpyError> {
        if self.take('{') {
            let mut entries = Vec::new();
            while !self.take('}') {
                let key = self.value()?;
                if !self.take(':') {
                    return self.fail();
                }
                self.spaces();
                let start = self.at;
                let value = self.value()?;
                entries.push((key, value, start..self.at));
                self.separator('}')?;
            }
            return Ok(Value::Dict(entries));
        }
        for (open, close) in [('(', ')'), ('[', ']')] {
            if self.take(open) {
                let mut items = Vec::new();
                while !self.take(close) {
                    items.push(self.value()?);
                    self.separator(close)?;
                }
                return Ok(Value::List(items));
            }
        }
        for quote in ['\'', '"'] {
            if self.take(quote) {
                return self.string(quote);
            }
        }
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let word = &rest[..len];
        let value = match word {
            "" if rest.starts_with('-') => return wrong("its header has a negative number"),
            // In Python, a decimal number does not begin with a zero.
            _ if word.len() > 1 && word.starts_with('0') && word != "0L" => return self.fail(),
            "True" | "False" | "None" => Value::Word(word),
            // Python 2 wrote long integers with an L, as in 10L.
            _ => match word.trim_end_matches('L').parse() {
                Ok(number) => Value::Int(number),
                Err(_) => return self.fail(),
            },
        };
        self.at += len;
        Ok(value)
    }

    /// Reads the comma between two items. After the last item, the comma may be missing.
    fn separator(&mut self, close: char) -> Result<(), NpyError> {
        if self.take(',') || self.rest().starts_with(close) { Ok(()) } else { self.fail() }
    }

    /// Reads the contents of quotes. Escapes are kept, because the names are copied to the output and not interpreted.
    fn string(&mut self, quote: char) -> Result<Value<'a>, NpyError> {
        let start = self.at;
        let mut escaped = false;
        for (i, c) in self.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at = start + i + c.len_utf8();
                    return Ok(Value::Text(self.text[start..start + i].into()));
                }
                _ => {}
            }
        }
        self.fail()
    }
}
