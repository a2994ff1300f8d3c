/* The C interface of pad-kernels. Made by cbindgen from pad-c/src; do not edit. */

#ifndef PAD_KERNELS_H
#define PAD_KERNELS_H


#define PAD_KERNELS_MAJOR 0
#define PAD_KERNELS_MINOR 1
#define PAD_KERNELS_PATCH 0


#include <stddef.h>
#include <stdint.h>

/*
 The most axes of a request.
 */
#define PAD_MAX_RANK 64

/*
 The most threads of a run.
 */
#define PAD_MAX_THREADS 1024

/*
 The status that a call returns. Any value but `PAD_STATUS_OK` is an error; `pad_last_error` explains it.
 */
enum pad_status
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   The call did what it says.
   */
  PAD_STATUS_OK,
  /*
   A pointer is NULL, or not aligned for its type.
   */
  PAD_STATUS_POINTER,
  /*
   A number is none of its enum.
   */
  PAD_STATUS_UNKNOWN_VALUE,
  /*
   A size is not the one that the plan needs, or a rank or number of threads is out of bounds.
   */
  PAD_STATUS_SIZE,
  /*
   The source and the destination share memory.
   */
  PAD_STATUS_OVERLAP,
  /*
   The padding itself is impossible, or the library does not support the request.
   */
  PAD_STATUS_REFUSED,
  /*
   There is too little memory, or there are too few threads.
   */
  PAD_STATUS_OUT_OF_RESOURCES,
  /*
   The library has a bug. It printed a message to standard error.
   */
  PAD_STATUS_INTERNAL,
};
#ifndef __cplusplus
typedef int32_t pad_status;
#endif // __cplusplus

/*
 The type of an element: its name says whether it is a float (`F`), an integer with or without a sign (`I`, `U`) or
 a complex number (`C`), and how many bits it has.

 `BYTES` are `element_bytes` bytes of any meaning. `BF16` is the upper half of a binary32, and `BOOL` one byte, 0 or 1. A complex number
 is its real part and then its imaginary part. 8-bit floats and `F4E2M1` are those of ONNX. Elements of 4 and of 2 bits are packed: the
 first lies in the lowest bits of a byte. `BYTES` and `F8E8M0`, a power of two, have no zero: a fill is required.
 */
enum pad_dtype
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  PAD_DTYPE_BYTES,
  PAD_DTYPE_F64,
  PAD_DTYPE_F32,
  PAD_DTYPE_F16,
  PAD_DTYPE_BF16,
  PAD_DTYPE_I8,
  PAD_DTYPE_I16,
  PAD_DTYPE_I32,
  PAD_DTYPE_I64,
  PAD_DTYPE_U8,
  PAD_DTYPE_U16,
  PAD_DTYPE_U32,
  PAD_DTYPE_U64,
  PAD_DTYPE_BOOL,
  PAD_DTYPE_C64,
  PAD_DTYPE_C128,
  PAD_DTYPE_F8E4M3FN,
  PAD_DTYPE_F8E4M3FNUZ,
  PAD_DTYPE_F8E5M2,
  PAD_DTYPE_F8E5M2FNUZ,
  PAD_DTYPE_F8E8M0,
  PAD_DTYPE_I4,
  PAD_DTYPE_U4,
  PAD_DTYPE_F4E2M1,
  PAD_DTYPE_I2,
  PAD_DTYPE_U2,
};
#ifndef __cplusplus
typedef int32_t pad_dtype;
#endif // __cplusplus

/*
 The data that a border reads if the other side of its axis is cropped.
 */
enum pad_frame
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   `PAD_FRAME_CROPPED` for wrap, and `PAD_FRAME_UNCROPPED` for all other modes.
   */
  PAD_FRAME_DEFAULT,
  /*
   The original axis, with the elements that are cropped.
   */
  PAD_FRAME_UNCROPPED,
  /*
   The cropped axis.
   */
  PAD_FRAME_CROPPED,
};
#ifndef __cplusplus
typedef int32_t pad_frame;
#endif // __cplusplus

/*
 Where the elements of a border come from.
 */
enum pad_mode
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   The fill.
   */
  PAD_MODE_CONSTANT,
  /*
   The nearest element.
   */
  PAD_MODE_EDGE,
  /*
   The axis mirrored about its first and last element, as often as needed.
   */
  PAD_MODE_REFLECT,
  /*
   The axis mirrored about its outer edges, as often as needed.
   */
  PAD_MODE_SYMMETRIC,
  /*
   The axis repeated.
   */
  PAD_MODE_WRAP,
};
#ifndef __cplusplus
typedef int32_t pad_mode;
#endif // __cplusplus

/*
 The work of a run.
 */
enum pad_task
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   Pads the source into the destination.
   */
  PAD_TASK_PAD,
  /*
   Writes the borders of the destination, whose interior is already filled, and nothing else. There is no source: its size is 0.
   The request has no negative or interior padding, no region and no packed type.
   */
  PAD_TASK_BORDERS,
  /*
   Sums the gradient of the output, which is the source, into the gradient of the input, which is the destination.

   Each element of the source is added to the element that the padding read it from. The elements are numbers without strides.
   A run allocates memory for sums. If that memory is missing, the destination is zero.
   */
  PAD_TASK_ADJOINT,
};
#ifndef __cplusplus
typedef int32_t pad_task;
#endif // __cplusplus

/*
 A plan for tensors of one shape. Threads may share it.
 */
typedef struct pad_plan pad_plan;

/*
 The padding of one axis.
 */
typedef struct pad_axis {
  /*
   Elements to add before the first; a negative number crops.
   */
  int64_t low;
  /*
   Elements to add after the last; a negative number crops.
   */
  int64_t high;
  /*
   Fill elements to insert between each two neighbours.
   */
  uint64_t interior;
  /*
   The `pad_mode` before the first element.
   */
  int32_t low_mode;
  /*
   The `pad_mode` after the last element.
   */
  int32_t high_mode;
} pad_axis;

/*
 The tensor to pad, and how to pad it. Zero and NULL are the defaults, so begin with `pad_request request = {0}`.

 The arrays have `rank` entries, the outermost axis first.
 */
typedef struct pad_request {
  /*
   A `pad_task`.
   */
  int32_t task;
  /*
   A `pad_dtype`.
   */
  int32_t dtype;
  /*
   A `pad_frame`.
   */
  int32_t frame;
  /*
   Bytes per element for `PAD_DTYPE_BYTES`, and 0 for all other types.
   */
  size_t element_bytes;
  /*
   The number of axes, at most `PAD_MAX_RANK`.
   */
  size_t rank;
  /*
   The lengths of the input.
   */
  const size_t *shape;
  /*
   The padding.
   */
  const struct pad_axis *axes;
  /*
   One element for constant borders and interior elements, or NULL for zero. It need not be aligned.
   An element of a packed type lies in the low bits of one byte.
   */
  const void *fill;
  /*
   Strides of the input in elements, or NULL for row-major order. They may be 0 or negative. Packed types have none.
   */
  const ptrdiff_t *input_strides;
  /*
   Strides of the output in elements, or NULL for row-major order. No two elements may share memory.
   */
  const ptrdiff_t *output_strides;
  /*
   The first index of a region of the output, or NULL. The plan then writes that region alone.
   */
  const size_t *region_start;
  /*
   The index after the last one of that region. It is NULL exactly if `region_start` is NULL.
   */
  const size_t *region_end;
} pad_request;

/*
 The sizes that runs of a plan need.
 */
typedef struct pad_sizes {
  /*
   The bytes of the source, from its lowest element to the end of its highest one.
   */
  size_t src_bytes;
  /*
   The bytes of the destination, from its lowest element to the end of its highest one.
   */
  size_t dst_bytes;
  /*
   The number of axes.
   */
  size_t rank;
  /*
   The `rank` lengths of the output, or of its region. The array belongs to the plan.
   */
  const size_t *output_shape;
} pad_sizes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a plan, which `pad_plan_free` frees. The request and its arrays are not needed any more then.
 The call allocates.

 # Safety

 - The arrays of `request` have as many entries as it says.
 - `plan` points to a pointer, which is written if the call succeeds.
 */
pad_status pad_plan_new(const struct pad_request *request, struct pad_plan **plan);

/*
 Frees a plan that no call uses. NULL is allowed.
 */
void pad_plan_free(struct pad_plan *plan);

/*
 Returns the sizes that runs of the plan need; zeros for NULL.
 */
struct pad_sizes pad_plan_sizes(const struct pad_plan *plan);

/*
 Runs a plan from `src` to `dst`. Both point to the lowest element of their tensor.

 The sizes are those of the plan; the buffers of strided tensors may be larger. Bytes between strided elements are left alone.
 The calling thread runs the plan if `threads` is 0 or 1. More threads, at most `PAD_MAX_THREADS`, share adjoints, and outputs of
 1 MiB and more without strides. The first run with a number starts that many threads. Later runs use them again, and they end with
 the process.
 A run of `PAD_TASK_PAD` allocates only with threads, with more than six axes, or with strides.

 # Safety

 - `plan` is NULL or a plan.
 - `src_bytes` initialised bytes lie at `src`, and `dst_bytes` bytes at `dst`. With strides, and for borders, `dst` is initialised.
 - No other thread writes `src` or uses `dst` until the call returns.
 */
pad_status pad_run(const struct pad_plan *plan,
                   size_t threads,
                   const void *src,
                   size_t src_bytes,
                   void *dst,
                   size_t dst_bytes);

/*
 Plans and runs in one call. For outputs up to 48 KiB that is faster than to make a plan and to run it.

 The sizes are as for `pad_run`. The call allocates only for `PAD_DTYPE_BYTES`, other tasks than `PAD_TASK_PAD`, axes of different
 modes, strides, a region, or more than six axes.

 # Safety

 - The arguments keep the contracts of `pad_plan_new` and `pad_run`.
 */
pad_status pad_once(const struct pad_request *request,
                    const void *src,
                    size_t src_bytes,
                    void *dst,
                    size_t dst_bytes);

/*
 Returns the message of the last error of this thread, or an empty one. Every error allocates its message.

 The message is valid until the next error of the thread, or until the thread ends.
 */
const char *pad_last_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAD_KERNELS_H */
