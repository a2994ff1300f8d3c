//! The messages of onnx.proto, with the fields that this program reads. The decoder skips all other fields.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(message, repeated, tag = "8")]
    pub(crate) opset_import: Vec<OperatorSetId>,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "25")]
    pub(crate) functions: Vec<Function>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OperatorSetId {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Function {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "10")]
    pub(crate) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) node: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) initializer: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) output: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "15")]
    pub(crate) sparse_initializer: Vec<SparseTensor>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SparseTensor {
    /// This tensor contains the values. Its name is the name of the whole tensor.
    #[prost(message, optional, tag = "1")]
    pub(crate) values: Option<Tensor>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) r#type: Option<Type>,
}

/// The type of a value. This program only reads tensors. For another kind of type, the error names the kind.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor: Option<TensorType>,
    #[prost(message, optional, tag = "4")]
    pub(crate) sequence: Option<()>,
    #[prost(message, optional, tag = "5")]
    pub(crate) map: Option<()>,
    #[prost(message, optional, tag = "7")]
    pub(crate) opaque: Option<()>,
    #[prost(message, optional, tag = "8")]
    pub(crate) sparse_tensor: Option<()>,
    #[prost(message, optional, tag = "9")]
    pub(crate) optional: Option<()>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(crate) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dim: Vec<Dimension>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(crate) dim_value: Option<i64>,
    #[prost(string, tag = "2")]
    pub(crate) dim_param: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) output: Vec<String>,
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
    #[prost(int64, tag = "3")]
    pub(crate) i: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) s: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub(crate) t: Option<Tensor>,
    #[prost(message, optional, tag = "6")]
    pub(crate) g: Option<()>,
    #[prost(float, repeated, tag = "7")]
    pub(crate) floats: Vec<f32>,
    #[prost(int64, repeated, tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub(crate) strings: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) graphs: Vec<()>,
    #[prost(int32, tag = "20")]
    pub(crate) r#type: i32,
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
    #[prost(message, repeated, tag = "13")]
    pub(crate) external_data: Vec<Entry>,
    #[prost(int32, tag = "14")]
    pub(crate) data_location: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}
