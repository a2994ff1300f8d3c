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
 The most threads of a pool.
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
  PAD_STATUS_OK = 0,
  /*
   A pointer is NULL, or not aligned for its type.
   */
  PAD_STATUS_POINTER = 1,
  /*
   A number is none of its enum.
   */
  PAD_STATUS_UNKNOWN_VALUE = 2,
  /*
   A size is not the one that the plan needs, or a rank or number of threads is out of bounds.
   */
  PAD_STATUS_SIZE = 3,
  /*
   The input and the output share memory.
   */
  PAD_STATUS_OVERLAP = 4,
  /*
   The padding itself is impossible, or this plan does not support the call.
   */
  PAD_STATUS_REFUSED = 5,
  /*
   There is too little memory, or there are too few threads.
   */
  PAD_STATUS_OUT_OF_RESOURCES = 6,
  /*
   The library has a bug. It printed a message to standard error.
   */
  PAD_STATUS_INTERNAL = 7,
};
#ifndef __cplusplus
typedef int32_t pad_status;
#endif // __cplusplus

/*
 The type of an element.
 */
enum pad_dtype
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   `element_bytes` bytes of any meaning. A fill is required.
   */
  PAD_DTYPE_BYTES = 0,
  /*
   IEEE 754 binary64.
   */
  PAD_DTYPE_F64 = 1,
  /*
   IEEE 754 binary32.
   */
  PAD_DTYPE_F32 = 2,
  /*
   IEEE 754 binary16.
   */
  PAD_DTYPE_F16 = 3,
  /*
   The upper half of a binary32.
   */
  PAD_DTYPE_BF16 = 4,
  /*
   Signed 8-bit integer.
   */
  PAD_DTYPE_I8 = 5,
  /*
   Signed 16-bit integer.
   */
  PAD_DTYPE_I16 = 6,
  /*
   Signed 32-bit integer.
   */
  PAD_DTYPE_I32 = 7,
  /*
   Signed 64-bit integer.
   */
  PAD_DTYPE_I64 = 8,
  /*
   Unsigned 8-bit integer.
   */
  PAD_DTYPE_U8 = 9,
  /*
   Unsigned 16-bit integer.
   */
  PAD_DTYPE_U16 = 10,
  /*
   Unsigned 32-bit integer.
   */
  PAD_DTYPE_U32 = 11,
  /*
   Unsigned 64-bit integer.
   */
  PAD_DTYPE_U64 = 12,
  /*
   One byte, 0 or 1.
   */
  PAD_DTYPE_BOOL = 13,
  /*
   Two binary32: real, imaginary.
   */
  PAD_DTYPE_C64 = 14,
  /*
   Two binary64: real, imaginary.
   */
  PAD_DTYPE_C128 = 15,
  /*
   8-bit float, 4 exponent bits, finite with NaN.
   */
  PAD_DTYPE_F8E4M3FN = 16,
  /*
   8-bit float, 4 exponent bits, no negative zero.
   */
  PAD_DTYPE_F8E4M3FNUZ = 17,
  /*
   8-bit float, 5 exponent bits.
   */
  PAD_DTYPE_F8E5M2 = 18,
  /*
   8-bit float, 5 exponent bits, no negative zero.
   */
  PAD_DTYPE_F8E5M2FNUZ = 19,
  /*
   8-bit power of two. A fill is required: the type has no zero.
   */
  PAD_DTYPE_F8E8M0 = 20,
  /*
   Signed 4-bit integer. Two lie in a byte, the first in the low bits.
   */
  PAD_DTYPE_I4 = 21,
  /*
   Unsigned 4-bit integer, packed as `PAD_DTYPE_I4`.
   */
  PAD_DTYPE_U4 = 22,
  /*
   4-bit float, packed as `PAD_DTYPE_I4`.
   */
  PAD_DTYPE_F4E2M1 = 23,
  /*
   Signed 2-bit integer. Four lie in a byte, the first in the lowest bits.
   */
  PAD_DTYPE_I2 = 24,
  /*
   Unsigned 2-bit integer, packed as `PAD_DTYPE_I2`.
   */
  PAD_DTYPE_U2 = 25,
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
  PAD_FRAME_DEFAULT = 0,
  /*
   The original axis, with the elements that are cropped.
   */
  PAD_FRAME_UNCROPPED = 1,
  /*
   The cropped axis.
   */
  PAD_FRAME_CROPPED = 2,
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
  PAD_MODE_CONSTANT = 0,
  /*
   The nearest element.
   */
  PAD_MODE_EDGE = 1,
  /*
   The axis mirrored about its first and last element, as often as needed.
   */
  PAD_MODE_REFLECT = 2,
  /*
   The axis mirrored about its outer edges, as often as needed.
   */
  PAD_MODE_SYMMETRIC = 3,
  /*
   The axis repeated.
   */
  PAD_MODE_WRAP = 4,
};
#ifndef __cplusplus
typedef int32_t pad_mode;
#endif // __cplusplus

/*
 A padding of tensors of one shape. Threads may share it.
 */
typedef struct pad_plan pad_plan;

/*
 Threads that runs of plans share. The threads end with `pad_pool_free`. They do not survive a `fork`.
 */
typedef struct pad_pool pad_pool;

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
   Strides of the input in elements, or NULL for row-major order. They may be 0 or negative.
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
 Frees a plan. NULL is allowed.

 # Safety

 - `plan` is NULL, or a plan that is not freed yet and that no call uses.
 */
void pad_plan_free(struct pad_plan *plan);

/*
 Writes the lengths of the output, or of its region.

 # Safety

 - `plan` is NULL or a plan. `rank` lengths can be written to `shape`.
 */
pad_status pad_plan_output_shape(const struct pad_plan *plan, size_t *shape, size_t rank);

/*
 Returns the bytes of the input, from its lowest element to the end of its highest one; 0 for NULL.

 # Safety

 - `plan` is NULL or a plan.
 */
size_t pad_plan_input_bytes(const struct pad_plan *plan);

/*
 Returns the bytes of the output, from its lowest element to the end of its highest one; 0 for NULL.

 # Safety

 - `plan` is NULL or a plan.
 */
size_t pad_plan_output_bytes(const struct pad_plan *plan);

/*
 Pads `src` into `dst`. Both point to the lowest element of their tensor.

 The sizes are those of the plan; with strides they may be larger. With strides, bytes between elements are left alone.
 `pool` is NULL for the calling thread. The threads of a pool share outputs of 1 MiB and more without strides.
 The call allocates only with a pool, with more than six axes, or with strides.

 # Safety

 - `plan` is NULL or a plan, and `pool` NULL or a pool.
 - `src_bytes` initialised bytes lie at `src`, and `dst_bytes` bytes at `dst`.
 - No other thread writes `src` or uses `dst` until the call returns.
 */
pad_status pad_run(const struct pad_plan *plan,
                   const struct pad_pool *pool,
                   const void *src,
                   size_t src_bytes,
                   void *dst,
                   size_t dst_bytes);

/*
 Plans and pads in one call. For outputs up to 48 KiB that is faster than to make a plan and to run it.

 The sizes are as for `pad_run`.
 The call allocates only for `PAD_DTYPE_BYTES`, axes of different modes, strides, a region, or more than six axes.

 # Safety

 - As for `pad_plan_new` and `pad_run`.
 */
pad_status pad_once(const struct pad_request *request,
                    const void *src,
                    size_t src_bytes,
                    void *dst,
                    size_t dst_bytes);

/*
 Writes the borders of `dst`, whose interior is already filled, and nothing else.

 `dst` points to the lowest element of the whole output. The plan has no negative or interior padding, no region and no packed
 type. The first call with a plan allocates; later ones do not.

 # Safety

 - `plan` is NULL or a plan.
 - `dst_bytes` bytes lie at `dst`, and no other thread uses them until the call returns.
 */
pad_status pad_run_borders(const struct pad_plan *plan,
                           void *dst,
                           size_t dst_bytes);

/*
 Sums the gradient of the output into the gradient of the input.

 Each element of `grad_out` is added to the element of `grad_in` that the padding read it from. `grad_in` is overwritten.
 The plan has numbers as elements and no strides. The sizes are those of its output and its input.
 The call allocates memory for sums, and the first call with a plan allocates more. If that memory is missing, `grad_in` is zero.

 # Safety

 - `plan` is NULL or a plan.
 - `grad_out_bytes` initialised bytes lie at `grad_out`, and `grad_in_bytes` bytes at `grad_in`.
 - No other thread writes `grad_out` or uses `grad_in` until the call returns.
 */
pad_status pad_run_adjoint(const struct pad_plan *plan,
                           const void *grad_out,
                           size_t grad_out_bytes,
                           void *grad_in,
                           size_t grad_in_bytes);

/*
 Starts `threads` threads, at most `PAD_MAX_THREADS`. `pad_pool_free` ends them. The call allocates.

 # Safety

 - `pool` points to a pointer, which is written if the call succeeds.
 */
pad_status pad_pool_new(size_t threads, struct pad_pool **pool);

/*
 Ends the threads of a pool, waits for them, and frees the pool. NULL is allowed.

 # Safety

 - `pool` is NULL, or a pool that is not freed yet and that no call uses.
 */
void pad_pool_free(struct pad_pool *pool);

/*
 Returns the message of the last error of this thread, or an empty one. Every error allocates its message.

 The message is valid until the next error of the thread, or until the thread ends.
 */
const char *pad_last_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAD_KERNELS_H */
