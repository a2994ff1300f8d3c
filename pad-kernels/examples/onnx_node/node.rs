//! Reads the files of ONNX, runs a model of one Pad node, and compares tensors.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use pad_kernels::dialect::{Dialect, onnx};
use pad_kernels::{DType, Fill, tensor::ElementSize};
use prost::Message;

use crate::output::Output;
use crate::proto;

pub(crate) type Error = Box<dyn std::error::Error>;

/// The types of `TensorProto.DataType`, in order from number 1.
const DTYPES: [DType; 26] = [
    DType::F32,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::String,
    DType::Bool,
    DType::F16,
    DType::F64,
    DType::U32,
    DType::U64,
    DType::C64,
    DType::C128,
    DType::BF16,
    DType::F8E4M3FN,
    DType::F8E4M3FNUZ,
    DType::F8E5M2,
    DType::F8E5M2FNUZ,
    DType::U4,
    DType::I4,
    DType::F4E2M1,
    DType::F8E8M0,
    DType::U2,
    DType::I2,
];

fn dtype(number: i32) -> Result<DType, Error> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let dtype = index.and_then(|index| DTYPES.get(index)).copied();
    dtype.ok_or_else(|| format!("element type {number} is not known").into())
}

/// A tensor with its elements.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tensor {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Data,
}

/// The elements of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Data {
    /// Elements in native byte order. Packed types are packed as in ONNX.
    Bytes(Vec<u8>),
    /// Strings. In ONNX, a string is a list of bytes.
    Text(Vec<Vec<u8>>),
}

impl Tensor {
    /// Reads the tensor of a file that contains one `TensorProto`.
    pub(crate) fn read(path: &Path) -> Result<Tensor, Error> {
        let parse = || Tensor::from_proto(proto::Tensor::decode(&fs::read(path)?[..])?);
        parse().map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn from_proto(proto: proto::Tensor) -> Result<Tensor, Error> {
        let dtype = dtype(proto.data_type)?;
        if proto.data_location != 0 {
            let location = proto.external_data.iter().find(|entry| entry.key == "location");
            let location = location.map_or("", |entry| &entry.value);
            return Err(format!("the elements are in another file, \"{location}\"").into());
        }
        let shape = proto.dims.iter().map(|&dim| usize::try_from(dim)).collect::<Result<Vec<_>, _>>()?;
        let data = match dtype {
            DType::String => Data::Text(proto.string_data),
            _ => Data::Bytes(match proto.raw_data {
                Some(raw) => from_little_endian(raw, dtype),
                None => typed(&proto, dtype),
            }),
        };
        let tensor = Tensor { dtype, shape, data };
        let count = tensor.shape.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim));
        let right = match (&tensor.data, dtype.element_size()) {
            (Data::Text(text), _) => count == Some(text.len()),
            (Data::Bytes(bytes), ElementSize::Bytes(size)) => {
                count.and_then(|count| count.checked_mul(size)) == Some(bytes.len())
            }
            (Data::Bytes(bytes), ElementSize::Bits(bits)) => {
                count.map(|count| count.div_ceil(8 / bits)) == Some(bytes.len())
            }
            (Data::Bytes(_), _) => false,
        };
        if right {
            Ok(tensor)
        } else {
            Err(format!("not as many elements as shape {:?} has", tensor.shape).into())
        }
    }

    /// Returns the integers of the input `name` of a Pad. The tensor must have one of these types.
    fn integers(&self, name: &str, dtypes: &[DType]) -> Result<Vec<i64>, Error> {
        match &self.data {
            Data::Bytes(bytes) if dtypes.contains(&self.dtype) => Ok(match self.dtype {
                DType::I32 => {
                    bytes.as_chunks().0.iter().map(|&chunk| i32::from_ne_bytes(chunk).into()).collect()
                }
                _ => bytes.as_chunks().0.iter().map(|&chunk| i64::from_ne_bytes(chunk)).collect(),
            }),
            _ => Err(format!("{name} of the Pad are {}: use one of {dtypes:?}", self.dtype).into()),
        }
    }

    /// Returns the first element as a fill. The fill of a string tensor is passed separately.
    fn fill(&self) -> Fill {
        let element = match (&self.data, self.dtype.element_size()) {
            (Data::Bytes(bytes), ElementSize::Bytes(size)) => bytes.get(..size).unwrap_or_default(),
            (Data::Bytes(bytes), _) => bytes.get(..1).unwrap_or_default(),
            (Data::Text(_), _) => &[],
        };
        Fill::from_bytes(self.dtype, element)
    }

    /// Returns the bits of an element: its bytes, or a byte whose low bits are a packed element.
    pub(crate) fn bits(&self, at: usize) -> Cow<'_, [u8]> {
        match (&self.data, self.dtype.element_size()) {
            (Data::Text(text), _) => Cow::Borrowed(&text[at]),
            (Data::Bytes(bytes), ElementSize::Bits(bits)) => {
                Cow::Owned(vec![bytes[at * bits / 8] >> (at * bits % 8) & ((1 << bits) - 1)])
            }
            (Data::Bytes(bytes), ElementSize::Bytes(size)) => Cow::Borrowed(&bytes[at * size..][..size]),
            (Data::Bytes(_), ElementSize::Cloned) => unreachable!("text is no bytes"),
        }
    }

    /// Returns an element as text. A type that Rust lacks is written in hexadecimal. Elements with different bits have different texts.
    pub(crate) fn element(&self, at: usize) -> String {
        let bits = self.bits(at);
        macro_rules! number {
            ($type:ty) => {
                <$type>::from_ne_bytes(bits[..].try_into().expect("an element"))
            };
        }
        match self.dtype {
            DType::String => format!("\"{}\"", bits.escape_ascii()),
            DType::F64 => float(number!(f64), number!(u64)),
            DType::F32 => float(number!(f32).into(), number!(u32).into()),
            DType::I8 => number!(i8).to_string(),
            DType::I16 => number!(i16).to_string(),
            DType::I32 => number!(i32).to_string(),
            DType::I64 => number!(i64).to_string(),
            DType::U8 | DType::Bool => number!(u8).to_string(),
            DType::U16 => number!(u16).to_string(),
            DType::U32 => number!(u32).to_string(),
            DType::U64 => number!(u64).to_string(),
            DType::F16 | DType::BF16 => format!("{:#06x}", number!(u16)),
            DType::C64 | DType::C128 => {
                let dtype = if self.dtype == DType::C64 { DType::F32 } else { DType::F64 };
                let parts = Tensor { dtype, shape: vec![2], data: Data::Bytes(bits.to_vec()) };
                format!("{}+{}i", parts.element(0), parts.element(1))
            }
            _ => match self.dtype.element_size() {
                ElementSize::Bits(_) => format!("{:#x}", bits[0]),
                _ => format!("{:#04x}", bits[0]),
            },
        }
    }
}

/// Returns a float as text. A NaN is written as its bits, because NaNs can differ.
fn float(value: f64, bits: u64) -> String {
    if value.is_nan() { format!("nan:{bits:#x}") } else { value.to_string() }
}

/// Converts `raw_data`, which is little-endian, to native byte order.
fn from_little_endian(mut raw: Vec<u8>, dtype: DType) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        let size = match (dtype, dtype.element_size()) {
            (DType::C64 | DType::C128, ElementSize::Bytes(size)) => size / 2,
            (_, ElementSize::Bytes(size)) => size,
            _ => 1,
        };
        raw.chunks_mut(size).for_each(<[u8]>::reverse);
    }
    raw
}

/// Reads the elements from the field for their type. The field `int32_data` has one element per entry for types of less than 32 bits, and
/// one byte per entry for packed types.
fn typed(proto: &proto::Tensor, dtype: DType) -> Vec<u8> {
    match dtype {
        DType::F32 | DType::C64 => proto.float_data.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        DType::F64 | DType::C128 => proto.double_data.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        DType::I64 => proto.int64_data.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        DType::U64 => proto.uint64_data.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        DType::U32 => proto.uint64_data.iter().flat_map(|&value| (value as u32).to_ne_bytes()).collect(),
        DType::I32 => proto.int32_data.iter().flat_map(|value| value.to_ne_bytes()).collect(),
        DType::I16 | DType::U16 | DType::F16 | DType::BF16 => {
            proto.int32_data.iter().flat_map(|&value| (value as u16).to_ne_bytes()).collect()
        }
        _ => proto.int32_data.iter().map(|&value| value as u8).collect(),
    }
}

/// The attributes of an operator. Each entry has the name, the number of the attribute's type in `AttributeProto.AttributeType`,
/// and the opsets in which the attribute exists. The first models do not state the type of an attribute.
type Attributes = [(&'static str, i32, RangeInclusive<u32>)];
const OF_PAD: &Attributes =
    &[("mode", 3, 1..=u32::MAX), ("paddings", 7, 1..=1), ("pads", 7, 2..=10), ("value", 1, 1..=10)];
const OF_CONSTANT: &Attributes = &[
    ("value", 4, 1..=u32::MAX),
    ("value_float", 1, 12..=u32::MAX),
    ("value_floats", 6, 12..=u32::MAX),
    ("value_int", 2, 12..=u32::MAX),
    ("value_ints", 7, 12..=u32::MAX),
    ("value_string", 3, 12..=u32::MAX),
    ("value_strings", 8, 12..=u32::MAX),
];

fn check_attributes(node: &proto::Node, taken: &Attributes, opset: u32) -> Result<(), Error> {
    for proto::Attribute { name, r#type, .. } in &node.attribute {
        let found = taken.iter().find(|(other, _, opsets)| other == name && opsets.contains(&opset));
        let Some(&(_, right, _)) = found else {
            return Err(format!("attribute {name} of {} is not taken in opset {opset}", node.op_type).into());
        };
        if *r#type != 0 && *r#type != right {
            let op = &node.op_type;
            return Err(format!("attribute {name} of {op} is of type {}, not {right}", r#type).into());
        }
    }
    Ok(())
}

/// Returns the tensor of a Constant node.
fn constant(node: &proto::Node, opset: u32) -> Result<Tensor, Error> {
    check_attributes(node, OF_CONSTANT, opset)?;
    let [attribute] = &node.attribute[..] else {
        return Err(format!("a Constant has one attribute, not {}", node.attribute.len()).into());
    };
    let proto::Attribute { name, f, i, s, t, floats, ints, strings, .. } = attribute.clone();
    let list = |length: usize| vec![length as i64];
    let empty = proto::Tensor::default();
    Tensor::from_proto(match &name[..] {
        "value_float" => proto::Tensor { data_type: 1, float_data: vec![f], ..empty },
        "value_floats" => {
            proto::Tensor { data_type: 1, dims: list(floats.len()), float_data: floats, ..empty }
        }
        "value_int" => proto::Tensor { data_type: 7, int64_data: vec![i], ..empty },
        "value_ints" => proto::Tensor { data_type: 7, dims: list(ints.len()), int64_data: ints, ..empty },
        "value_string" => proto::Tensor { data_type: 8, string_data: vec![s], ..empty },
        "value_strings" => {
            proto::Tensor { data_type: 8, dims: list(strings.len()), string_data: strings, ..empty }
        }
        _ => t.ok_or("attribute value holds no tensor")?,
    })
}

/// An input of a graph, as the model declares it.
#[derive(Debug)]
struct Input {
    name: String,
    /// The element type, and the axes if the model declares them. It is `None` if the model declares no type.
    declared: Option<(DType, Option<Vec<proto::Dimension>>)>,
}

impl Input {
    fn from_proto(proto::ValueInfo { name, r#type }: proto::ValueInfo) -> Result<Input, Error> {
        let Some(r#type) = r#type else { return Ok(Input { name, declared: None }) };
        let kinds = [
            (r#type.sequence, "a sequence"),
            (r#type.map, "a map"),
            (r#type.opaque, "opaque"),
            (r#type.sparse_tensor, "sparse"),
            (r#type.optional, "optional"),
        ];
        let Some(tensor) = r#type.tensor else {
            let kind = kinds.iter().find(|(there, _)| there.is_some()).map_or("no tensor", |(_, kind)| kind);
            return Err(format!("input {name} is {kind}: only tensors are padded").into());
        };
        let dtype = dtype(tensor.elem_type).map_err(|error| format!("input {name}: {error}"))?;
        Ok(Input { name, declared: Some((dtype, tensor.shape.map(|shape| shape.dim))) })
    }

    /// Returns an error if the tensor does not match the declaration. Axes with a name, without a length, or with a negative length may
    /// have any length, as in onnxruntime.
    fn check(&self, tensor: &Tensor) -> Result<(), Error> {
        let Some((dtype, dims)) = &self.declared else { return Ok(()) };
        let fixed = |dim: &proto::Dimension| dim.dim_value.and_then(|length| u64::try_from(length).ok());
        let fits = |dims: &[proto::Dimension]| {
            let mut both = dims.iter().zip(&tensor.shape);
            dims.len() == tensor.shape.len()
                && both.all(|(dim, &length)| fixed(dim).is_none_or(|fixed| fixed == length as u64))
        };
        if *dtype == tensor.dtype && dims.as_deref().is_none_or(fits) {
            return Ok(());
        }
        let dim = |dim: &proto::Dimension| match fixed(dim) {
            Some(length) => length.to_string(),
            None if dim.dim_param.is_empty() => "?".to_owned(),
            None => dim.dim_param.clone(),
        };
        let shape = match dims {
            Some(dims) => format!("[{}]", dims.iter().map(dim).collect::<Vec<_>>().join(", ")),
            None => "of any shape".to_owned(),
        };
        let (name, found, dtype) = (&self.name, tensor.dtype.long_name(), dtype.long_name());
        Err(format!("input {name} is {found} {:?}, but the model declares {dtype} {shape}", tensor.shape)
            .into())
    }
}

/// Tells whether a domain is that of ONNX's own operators.
fn is_main(domain: &str) -> bool {
    domain.is_empty() || domain == "ai.onnx"
}

/// Returns the name of a node for an error.
fn label(node: &proto::Node) -> String {
    let domain = if is_main(&node.domain) { String::new() } else { format!("{}::", node.domain) };
    let subgraphs = node.attribute.iter().any(|held| held.g.is_some() || !held.graphs.is_empty());
    format!("{domain}{}{}", node.op_type, if subgraphs { " with subgraphs" } else { "" })
}

/// Finds the Pad node and the Constant nodes of a graph.
fn divide(nodes: Vec<proto::Node>) -> Result<(proto::Node, Vec<proto::Node>), Error> {
    let mut held = BTreeMap::new();
    for node in &nodes {
        *held.entry(label(node)).or_insert(0) += 1;
    }
    let others = held.keys().any(|label| label != "Pad" && label != "Constant");
    let (mut pads, constants): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|node| node.op_type == "Pad");
    match (pads.pop(), &pads[..]) {
        (Some(pad), []) if !others => Ok((pad, constants)),
        _ => {
            let held: Vec<_> = held.iter().map(|(label, count)| format!("{count} {label}")).collect();
            let held = if held.is_empty() { "nothing".to_owned() } else { held.join(", ") };
            Err(format!("one Pad runs here, with Constants for it; the model holds {held}").into())
        }
    }
}

/// A model of one Pad node, and of Constant nodes for its inputs.
#[derive(Debug)]
pub(crate) struct Model {
    opset: u32,
    node: proto::Node,
    inputs: Vec<Input>,
    /// The initializers, and the tensors of Constant nodes.
    stored: Vec<(String, Tensor)>,
}

impl Model {
    /// Reads the model of a file that contains one `ModelProto`.
    pub(crate) fn read(path: &Path) -> Result<Model, Error> {
        let parse = || Model::from_proto(proto::Model::decode(&fs::read(path)?[..])?);
        parse().map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn from_proto(proto: proto::Model) -> Result<Model, Error> {
        let imported = proto.opset_import.iter().find(|import| is_main(&import.domain));
        let version = imported.ok_or("the model imports no opset of ONNX")?.version;
        let opset = u32::try_from(version).map_err(|_| format!("there is no opset {version} of ONNX"))?;
        // This call pads no axes. It returns an error if the opset does not exist.
        onnx::Pad::new(opset, &[]).spec(&[], DType::F32)?;
        // A function with the name `Pad` or `Constant` would replace the operator, so the call returns an error.
        let own = |function: &&proto::Function| {
            is_main(&function.domain) && ["Pad", "Constant"].contains(&&function.name[..])
        };
        if let Some(function) = proto.functions.iter().find(own) {
            return Err(format!("the model has a function {} of its own", function.name).into());
        }
        let graph = proto.graph.ok_or("the model has no graph")?;
        let (node, constants) = divide(graph.node)?;
        check_attributes(&node, OF_PAD, opset)?;
        if node.input.len() > 4 {
            return Err(format!("a Pad has at most 4 inputs, not {}", node.input.len()).into());
        }
        let outputs: Vec<_> = graph.output.into_iter().map(|output| output.name).collect();
        if outputs.len() != 1 || outputs != node.output {
            let made = &node.output;
            return Err(format!("the outputs of the model are {outputs:?}, and of the Pad {made:?}").into());
        }

        let inputs = graph.input.into_iter().map(Input::from_proto).collect::<Result<Vec<_>, _>>()?;
        if let Some(sparse) = graph.sparse_initializer.into_iter().next() {
            let name = sparse.values.unwrap_or_default().name;
            return Err(format!("initializer {name} is sparse").into());
        }
        let mut stored = Vec::new();
        for tensor in graph.initializer {
            let name = tensor.name.clone();
            let tensor =
                Tensor::from_proto(tensor).map_err(|error| format!("initializer {name}: {error}"))?;
            stored.push((name, tensor));
        }
        // An initializer with the name of a graph input is the default of that input.
        for input in &inputs {
            let default = stored.iter().find(|(name, _)| *name == input.name);
            default.map_or(Ok(()), |(_, tensor)| input.check(tensor))?;
        }
        for node in constants {
            let [name] = &node.output[..] else {
                return Err(format!("a Constant has one output, not {:?}", node.output).into());
            };
            if inputs.iter().any(|input| input.name == *name) {
                return Err(format!("{name} is an input and a Constant").into());
            }
            let tensor = constant(&node, opset).map_err(|error| format!("constant {name}: {error}"))?;
            stored.push((name.clone(), tensor));
        }
        let mut names: Vec<_> = stored.iter().map(|(name, _)| name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|names| names[0] == names[1]) {
            return Err(format!("{} has two values", twice[0]).into());
        }
        Ok(Model { opset, node, inputs, stored })
    }

    /// Returns the output for these inputs. The tensors are in the order of the graph's inputs. The tensors for all inputs with
    /// an initializer may be left out.
    pub(crate) fn run<'a>(
        &'a self,
        inputs: &'a [Tensor],
        flavour: onnx::Flavour,
    ) -> Result<Output<'a>, Error> {
        let stored =
            |name: &String| self.stored.iter().find(|(other, _)| other == name).map(|(_, found)| found);
        let mut open: Vec<&Input> =
            self.inputs.iter().filter(|input| stored(&input.name).is_none()).collect();
        if let Some(missing) = open.get(inputs.len()) {
            return Err(format!("no tensor is given for input {}", missing.name).into());
        }
        if inputs.len() != open.len() {
            open = self.inputs.iter().collect();
        }
        if inputs.len() != open.len() {
            let names: Vec<_> = open.iter().map(|input| &input.name).collect();
            return Err(format!("{} tensors are given for inputs {names:?}", inputs.len()).into());
        }
        for (input, tensor) in open.iter().zip(inputs) {
            input.check(tensor)?;
        }
        // An empty name means that the node leaves out an optional input.
        let input = |i: usize| -> Result<Option<&'a Tensor>, Error> {
            let Some(name) = self.node.input.get(i).filter(|name| !name.is_empty()) else { return Ok(None) };
            let given = open.iter().position(|input| input.name == *name).map(|i| &inputs[i]);
            let found = given.or_else(|| stored(name));
            found.map(Some).ok_or_else(|| format!("the Pad takes {name}, which nothing makes").into())
        };
        let attribute = |name: &str| self.node.attribute.iter().find(|attribute| attribute.name == name);

        let data = input(0)?.ok_or("the Pad has no input data")?;
        let mode = attribute("mode").map(|mode| String::from_utf8_lossy(&mode.s));
        let pads_tensor = input(1)?;
        let pads = match self.opset {
            1 => attribute("paddings").map(|pads| pads.ints.clone()).ok_or("attribute paddings"),
            2..=10 => attribute("pads").map(|pads| pads.ints.clone()).ok_or("attribute pads"),
            _ => match pads_tensor {
                Some(pads) => Ok(pads.integers("pads", &[DType::I64])?),
                None => Err("input pads"),
            },
        };
        let pads = pads.map_err(|lacking| format!("the Pad has no {lacking}"))?;
        let value = input(2)?;
        let axes = input(3)?.map(|axes| axes.integers("axes", &[DType::I32, DType::I64])).transpose()?;

        let mut pad = onnx::Pad::new(self.opset, &pads).flavour(flavour);
        pad.mode = mode.as_deref();
        pad.pads_shape = pads_tensor.map(|pads| &pads.shape[..]);
        pad.value = attribute("value").map(|value| value.f);
        pad.constant_value = value.map(Tensor::fill);
        pad.constant_value_shape = value.map(|value| &value.shape[..]);
        pad.axes = axes.as_deref();
        let plan = pad.plan(&data.shape, data.dtype)?;
        let fill = match value.map(|value| &value.data) {
            Some(Data::Text(fill)) => fill.first().cloned().unwrap_or_default(),
            _ => pad.text_fill().into(),
        };
        Ok(Output { dtype: data.dtype, plan, data: &data.data, fill })
    }
}
