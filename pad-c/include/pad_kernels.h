/* The C interface of pad-kernels. Made by cbindgen from pad-c/src; do not edit. */

#ifndef PAD_KERNELS_H
#define PAD_KERNELS_H


#define PAD_KERNELS_MAJOR 0
#define PAD_KERNELS_MINOR 1
#define PAD_KERNELS_PATCH 0


#include <stddef.h>
#include <stdint.h>

/*
 The maximum number of axes of a request.
 */
#define PAD_MAX_RANK 64

/*
 The maximum number of threads of a run.
 */
#define PAD_MAX_THREADS 1024

/*
 The status that a call returns. Every value except `PAD_STATUS_OK` is an error, which `pad_last_error` explains.
 */
enum pad_status
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   The call succeeded.
   */
  PAD_STATUS_OK,
  /*
   A pointer is NULL, or not aligned for its type.
   */
  PAD_STATUS_POINTER,
  /*
   A number is not a value of its enum.
   */
  PAD_STATUS_UNKNOWN_VALUE,
  /*
   A size is not the one that the plan needs, or a rank or a number of threads is too large.
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
 The type of an element. Names with `F` mean floats, `I` integers with a sign, `U` integers without a sign, and `C`
 complex numbers. The number after the letter is the number of bits.

 An element of type `BYTES` has `element_bytes` bytes of any meaning. `BF16` is the upper half of a 32-bit float. `BOOL`
 is one byte, 0 or 1. A complex number has its real part first, and then its imaginary part. The 8-bit floats and
 `F4E2M1` are those of ONNX. Elements of 4 and of 2 bits are packed, and the first element is in the lowest bits of a
 byte. `F8E8M0` is a power of two. `BYTES` and `F8E8M0` have no zero, so a request with mode constant or interior padding
 must have a `fill`.
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
   `PAD_FRAME_CROPPED` in mode wrap, and `PAD_FRAME_UNCROPPED` in all other modes.
   */
  PAD_FRAME_DEFAULT,
  /*
   The border reads the original axis, which includes the cropped elements.
   */
  PAD_FRAME_UNCROPPED,
  /*
   The border reads the cropped axis.
   */
  PAD_FRAME_CROPPED,
};
#ifndef __cplusplus
typedef int32_t pad_frame;
#endif // __cplusplus

/*
 The rule that determines the elements of a border.
 */
enum pad_mode
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /*
   Every element is the fill.
   */
  PAD_MODE_CONSTANT,
  /*
   Every element is a copy of the nearest element of the axis.
   */
  PAD_MODE_EDGE,
  /*
   The border mirrors the axis about its first and its last element, as often as needed.
   */
  PAD_MODE_REFLECT,
  /*
   The border mirrors the axis about its outer edges, as often as needed.
   */
  PAD_MODE_SYMMETRIC,
  /*
   The border repeats the axis.
   */
  PAD_MODE_WRAP,
};
#ifndef __cplusplus
typedef int32_t pad_mode;
#endif // __cplusplus

/*
 The work that a run does.
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
   Writes only the borders of the destination, from its interior, which must already have its elements. There is no source,
   so `src_bytes` is 0. The request must have no negative or interior padding, no region and no packed type.
   */
  PAD_TASK_BORDERS,
  /*
   Sums the gradient of the output, which is the source, and writes the gradient of the input, which is the destination.

   If the padding copies an element of the input to an element of the output, the gradient of the output element is added
   to the gradient of the input element. The elements must be numbers, without strides. A run allocates memory for sums. If
   this memory cannot be allocated, or if threads cannot be started, the run fails, and the destination is filled with zeros.
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
   The number of elements to add before the first element. A negative number removes elements.
   */
  int64_t low;
  /*
   The number of elements to add after the last element. A negative number removes elements.
   */
  int64_t high;
  /*
   The number of fill elements to insert between each two neighbours.
   */
  uint64_t interior;
  /*
   The `pad_mode` of the border before the first element.
   */
  int32_t low_mode;
  /*
   The `pad_mode` of the border after the last element.
   */
  int32_t high_mode;
} pad_axis;

/*
 The tensor to pad, and how to pad it. Zero and NULL are the defaults, so begin with `pad_request request = {0}`.

 Each array except `fill` has `rank` entries, the outermost axis first.
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
   The number of bytes per element for `PAD_DTYPE_BYTES`, and 0 for all other types.
   */
  size_t element_bytes;
  /*
   The number of axes, at most `PAD_MAX_RANK`.
   */
  size_t rank;
  /*
   The length of the input along each axis.
   */
  const size_t *shape;
  /*
   The padding of each axis.
   */
  const struct pad_axis *axes;
  /*
   The element for constant borders and interior padding, or NULL for zero. The pointer need not be aligned. If the type is
   packed, the element is in the lowest bits of one byte.
   */
  const void *fill;
  /*
   The strides of the input in elements, or NULL for row-major order. They may be 0 or negative. For packed types, give
   NULL.
   */
  const ptrdiff_t *input_strides;
  /*
   The strides of the output in elements, or NULL for row-major order. No two elements may share memory. For packed types,
   give NULL.
   */
  const ptrdiff_t *output_strides;
  /*
   The first index of a region of the output along each axis, or NULL for the whole output. With a region, the destination
   and the strides of the output are those of the region. The source is the whole input.
   */
  const size_t *region_start;
  /*
   The index after the last index of the region along each axis. It must be NULL exactly if `region_start` is NULL.
   */
  const size_t *region_end;
} pad_request;

/*
 The sizes of the buffers that runs of a plan need, and the shape of the output.
 */
typedef struct pad_sizes {
  /*
   The number of bytes of the source, from the element at the lowest address to the end of the element at the highest
   address.
   */
  size_t src_bytes;
  /*
   The number of bytes of the destination, from the element at the lowest address to the end of the element at the highest
   address.
   */
  size_t dst_bytes;
  /*
   The number of axes.
   */
  size_t rank;
  /*
   The `rank` lengths of the output, or of the region. The array belongs to the plan.
   */
  const size_t *output_shape;
} pad_sizes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes a plan for a request, and writes a pointer to the plan to `*plan`. `pad_plan_free` frees the plan.

 After the call, the plan does not need the request and its arrays any more. If the call fails, it does not write
 `*plan`. The call allocates memory. Its errors are `PAD_STATUS_POINTER`, `PAD_STATUS_UNKNOWN_VALUE`, `PAD_STATUS_SIZE` for
 `rank` and `element_bytes`, `PAD_STATUS_REFUSED`, and `PAD_STATUS_INTERNAL`.

 # Safety

 - `request` is NULL, or points to a request.
 - Each array of the request that is not NULL has `rank` entries, and `fill` has one element.
 - `plan` is NULL, or points to memory for a pointer.
 */
pad_status pad_plan_new(const struct pad_request *request,
                        struct pad_plan **plan);

/*
 Frees a plan. No other call may use it at the same time or later. NULL is allowed.
 */
void pad_plan_free(struct pad_plan *plan);

/*
 Returns the sizes of the buffers that runs of a plan need. For NULL, all sizes are 0.
 */
struct pad_sizes pad_plan_sizes(const struct pad_plan *plan);

/*
 Runs a plan from `src` to `dst`. Each pointer points to the element at the lowest address of its tensor.

 `src_bytes` and `dst_bytes` must be the sizes of the plan. Only the buffers of strided tensors may be larger. The run
 does not change the bytes between strided elements.

 If `threads` is 0 or 1, the calling thread runs the plan. If it is larger, up to `PAD_MAX_THREADS`, that many threads
 share the work of an adjoint, or of an output of 1 MiB or more without strides. The first run with a number of threads
 starts them. Later runs with this number use them again. The threads end with the process.

 A run of `PAD_TASK_PAD` allocates memory only with several threads, with more than six axes, or with strides.

 The errors are `PAD_STATUS_POINTER`, `PAD_STATUS_SIZE`, `PAD_STATUS_OVERLAP`, `PAD_STATUS_INTERNAL`, and
 `PAD_STATUS_OUT_OF_RESOURCES` for threads and adjoints.

 # Safety

 - `plan` is NULL, or a plan that is not freed.
 - There are `src_bytes` initialised bytes at `src`, and `dst_bytes` bytes at `dst`. If there are strides, or the task is
   `PAD_TASK_BORDERS`, the bytes at `dst` are initialised, too.
 - No other thread writes `src` or uses `dst` until the call returns.
 */
pad_status pad_run(const struct pad_plan *plan,
                   size_t threads,
                   const void *src,
                   size_t src_bytes,
                   void *dst,
                   size_t dst_bytes);

/*
 Plans and runs in one call. For outputs of up to 48 KiB, this is faster than `pad_plan_new` and `pad_run`.

 The buffers and their sizes are as in `pad_run`. The call allocates memory only for `PAD_DTYPE_BYTES`, tasks other than
 `PAD_TASK_PAD`, axes with different modes, strides, a region, or more than six axes. It returns the errors of both calls.

 # Safety

 - The request is as in `pad_plan_new`, and the buffers are as in `pad_run`.
 */
pad_status pad_once(const struct pad_request *request,
                    const void *src,
                    size_t src_bytes,
                    void *dst,
                    size_t dst_bytes);

/*
 Returns the message of the last error of the calling thread, or an empty string. Every error allocates memory for its
 message.

 The message is valid until the next error of this thread, or until the thread ends. While a thread ends, its errors have no
 message.
 */
const char *pad_last_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PAD_KERNELS_H */
