//! ONNX's files as far as a model of one Pad needs them: reading them, running the node, comparing tensors.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use pad_kernels::dialect::{Dialect, onnx};
use pad_kernels::{DType, Fill, Layout};
use prost::Message;

use crate::output::Output;

pub(crate) type Error = Box<dyn std::error::Error>;

/// The messages of onnx.proto with the fields that are read here; all others are skipped.
mod proto {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Model {
        #[prost(message, repeated, tag = "8")]
        pub(crate) opset_import: Vec<OperatorSetId>,
        #[prost(message, optional, tag = "7")]
        pub(crate) graph: Option<Graph>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct OperatorSetId {
        #[prost(string, tag = "1")]
        pub(crate) domain: String,
        #[prost(int64, tag = "2")]
        pub(crate) version: i64,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Graph {
        #[prost(message, repeated, tag = "1")]
        pub(crate) node: Vec<Node>,
        #[prost(message, repeated, tag = "5")]
        pub(crate) initializer: Vec<Tensor>,
        #[prost(message, repeated, tag = "11")]
        pub(crate) input: Vec<ValueInfo>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct ValueInfo {
        #[prost(string, tag = "1")]
        pub(crate) name: String,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Node {
        #[prost(string, repeated, tag = "1")]
        pub(crate) input: Vec<String>,
        #[prost(string, tag = "4")]
        pub(crate) op_type: String,
        #[prost(message, repeated, tag = "5")]
        pub(crate) attribute: Vec<Attribute>,
        #[prost(string, tag = "7")]
        pub(crate) domain: String,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Attribute {
        #[prost(string, tag = "1")]
        pub(crate) name: String,
        #[prost(float, tag = "2")]
        pub(crate) f: f32,
        #[prost(bytes = "vec", tag = "4")]
        pub(crate) s: Vec<u8>,
        #[prost(int64, repeated, tag = "8")]
        pub(crate) ints: Vec<i64>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Tensor {
        #[prost(int64, repeated, tag = "1")]
        pub(crate) dims: Vec<i64>,
        #[prost(int32, tag = "2")]
        pub(crate) data_type: i32,
        #[prost(float, repeated, tag = "4")]
        pub(crate) float_data: Vec<f32>,
        #[prost(int32, repeated, tag = "5")]
        pub(crate) int32_data: Vec<i32>,
        #[prost(bytes = "vec", repeated, tag = "6")]
        pub(crate) string_data: Vec<Vec<u8>>,
        #[prost(int64, repeated, tag = "7")]
        pub(crate) int64_data: Vec<i64>,
        #[prost(string, tag = "8")]
        pub(crate) name: String,
        #[prost(bytes = "vec", optional, tag = "9")]
        pub(crate) raw_data: Option<Vec<u8>>,
        #[prost(double, repeated, tag = "10")]
        pub(crate) double_data: Vec<f64>,
        #[prost(uint64, repeated, tag = "11")]
        pub(crate) uint64_data: Vec<u64>,
        #[prost(int32, tag = "14")]
        pub(crate) data_location: i32,
    }
}

/// `TensorProto.DataType` from 1 up.
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

/// A tensor, its elements as they lie in memory.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tensor {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Data,
}

/// The elements of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Data {
    /// In native byte order; packed types as ONNX packs them.
    Bytes(Vec<u8>),
    /// Text is bytes to ONNX.
    Text(Vec<Vec<u8>>),
}

impl Tensor {
    /// The tensor of a file with one `TensorProto`.
    pub(crate) fn read(path: &Path) -> Result<Tensor, Error> {
        let parse = || Tensor::from_proto(proto::Tensor::decode(&fs::read(path)?[..])?);
        parse().map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn from_proto(proto: proto::Tensor) -> Result<Tensor, Error> {
        let index = usize::try_from(proto.data_type).ok().and_then(|number| number.checked_sub(1));
        let dtype = *index
            .and_then(|index| DTYPES.get(index))
            .ok_or_else(|| format!("element type {} is not known", proto.data_type))?;
        if proto.data_location != 0 {
            return Err("the elements are in another file".into());
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
        let right = match (&tensor.data, dtype.layout()) {
            (Data::Text(text), _) => count == Some(text.len()),
            (Data::Bytes(bytes), Layout::Bytes(size)) => {
                count.and_then(|count| count.checked_mul(size)) == Some(bytes.len())
            }
            (Data::Bytes(bytes), Layout::Bits(bits)) => {
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

    /// A list of integers of one of these types.
    fn integers(&self, dtypes: &[DType]) -> Result<Vec<i64>, Error> {
        match &self.data {
            Data::Bytes(bytes) if dtypes.contains(&self.dtype) => Ok(match self.dtype {
                DType::I32 => {
                    bytes.as_chunks().0.iter().map(|&chunk| i32::from_ne_bytes(chunk).into()).collect()
                }
                _ => bytes.as_chunks().0.iter().map(|&chunk| i64::from_ne_bytes(chunk)).collect(),
            }),
            _ => Err(format!("{} where only {dtypes:?} may be", self.dtype).into()),
        }
    }

    /// The first element as a fill; text travels beside it.
    fn fill(&self) -> Fill {
        let element = match (&self.data, self.dtype.layout()) {
            (Data::Bytes(bytes), Layout::Bytes(size)) => bytes.get(..size).unwrap_or_default(),
            (Data::Bytes(bytes), _) => bytes.get(..1).unwrap_or_default(),
            (Data::Text(_), _) => &[],
        };
        Fill::from_bytes(self.dtype, element)
    }

    /// The bits of an element: its bytes, or a byte in whose low bits a packed one stands.
    pub(crate) fn bits(&self, at: usize) -> Cow<'_, [u8]> {
        match (&self.data, self.dtype.layout()) {
            (Data::Text(text), _) => Cow::Borrowed(&text[at]),
            (Data::Bytes(bytes), Layout::Bits(bits)) => {
                Cow::Owned(vec![bytes[at * bits / 8] >> (at * bits % 8) & ((1 << bits) - 1)])
            }
            (Data::Bytes(bytes), Layout::Bytes(size)) => Cow::Borrowed(&bytes[at * size..][..size]),
            (Data::Bytes(_), Layout::Cloned) => unreachable!("text is no bytes"),
        }
    }

    /// An element as text, of a type that Rust does not have in hexadecimal. Different bits are different text.
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
            _ => match self.dtype.layout() {
                Layout::Bits(_) => format!("{:#x}", bits[0]),
                _ => format!("{:#04x}", bits[0]),
            },
        }
    }
}

/// A float, or its bits if it is not a number: there are many that are not.
fn float(value: f64, bits: u64) -> String {
    if value.is_nan() { format!("nan:{bits:#x}") } else { value.to_string() }
}

/// `raw_data` is little-endian everywhere.
fn from_little_endian(mut raw: Vec<u8>, dtype: DType) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        let size = match (dtype, dtype.layout()) {
            (DType::C64 | DType::C128, Layout::Bytes(size)) => size / 2,
            (_, Layout::Bytes(size)) => size,
            _ => 1,
        };
        raw.chunks_mut(size).for_each(<[u8]>::reverse);
    }
    raw
}

/// The elements from the field that is for their type. What is smaller than 32 bits stands in `int32_data`, an element
/// each; of the packed types a byte each.
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

/// A model of one Pad node.
#[derive(Debug)]
pub(crate) struct Model {
    opset: u32,
    node: proto::Node,
    inputs: Vec<String>,
    initializers: Vec<(String, Tensor)>,
}

impl Model {
    /// The model of a file with one `ModelProto`.
    pub(crate) fn read(path: &Path) -> Result<Model, Error> {
        let parse = || Model::from_proto(proto::Model::decode(&fs::read(path)?[..])?);
        parse().map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn from_proto(proto: proto::Model) -> Result<Model, Error> {
        let main = |domain: &str| domain.is_empty() || domain == "ai.onnx";
        let opset = proto.opset_import.iter().find(|import| main(&import.domain));
        let opset = opset.ok_or("the model imports no opset of ONNX")?.version.try_into()?;
        let graph = proto.graph.ok_or("the model has no graph")?;
        let mut nodes = graph.node;
        let node = match (nodes.pop(), nodes.is_empty()) {
            (Some(node), true) if node.op_type == "Pad" && main(&node.domain) => node,
            _ => return Err("the model is not one Pad".into()),
        };
        let mut initializers = Vec::new();
        for tensor in graph.initializer {
            initializers.push((tensor.name.clone(), Tensor::from_proto(tensor)?));
        }
        let inputs = graph.input.into_iter().map(|input| input.name).collect();
        Ok(Model { opset, node, inputs, initializers })
    }

    /// The output for these inputs, which are the graph's in its order; those with an initializer may be left out.
    pub(crate) fn run<'a>(
        &'a self,
        inputs: &'a [Tensor],
        flavour: onnx::Flavour,
    ) -> Result<Output<'a>, Error> {
        let initialized = |name: &String| self.initializers.iter().any(|(other, _)| other == name);
        let mut open: Vec<&String> = self.inputs.iter().filter(|name| !initialized(name)).collect();
        if inputs.len() != open.len() {
            open = self.inputs.iter().collect();
        }
        if inputs.len() != open.len() {
            return Err(format!("{} tensors for inputs {open:?}", inputs.len()).into());
        }
        // An empty name stands for an optional input that is left out.
        let input = |i: usize| -> Result<Option<&'a Tensor>, Error> {
            let Some(name) = self.node.input.get(i).filter(|name| !name.is_empty()) else { return Ok(None) };
            let given = open.iter().position(|other| *other == name).map(|i| &inputs[i]);
            let stored =
                || self.initializers.iter().find(|(other, _)| other == name).map(|(_, tensor)| tensor);
            given.or_else(stored).map(Some).ok_or_else(|| format!("nothing is called {name}").into())
        };
        let attribute = |name: &str| self.node.attribute.iter().find(|attribute| attribute.name == name);

        let data = input(0)?.ok_or("the node has no data")?;
        let mode = attribute("mode").map(|mode| String::from_utf8_lossy(&mode.s));
        let pads_tensor = if self.opset >= 11 { input(1)? } else { None };
        let pads = match self.opset {
            1 => attribute("paddings").map(|pads| pads.ints.clone()),
            2..=10 => attribute("pads").map(|pads| pads.ints.clone()),
            _ => pads_tensor.map(|pads| pads.integers(&[DType::I64])).transpose()?,
        };
        let pads = pads.ok_or("the node has no pads")?;
        let value = if self.opset >= 11 { input(2)? } else { None };
        let axes = input(3)?.map(|axes| axes.integers(&[DType::I32, DType::I64])).transpose()?;

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
