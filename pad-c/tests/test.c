/* Tests of the C interface, in C11. The file is also compiled as C++. */

#include <pad_kernels.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, pad_last_error()); \
            failures++;                                                                   \
        }                                                                                 \
    } while (0)
#define RETURNS(status, call) CHECK((call) == PAD_STATUS_##status)

/* A 2 x 3 tensor of int32. The padding adds a mirrored row at the top, and two wrapped columns on the right.
   `gradient` is the gradient of the tensor if every element of the output has the gradient 1. */
static const size_t shape[] = {2, 3}, two = 2;
static const pad_axis axes[] = {{1, 0, 0, PAD_MODE_REFLECT, PAD_MODE_REFLECT}, {0, 2, 0, PAD_MODE_WRAP, PAD_MODE_WRAP}};
static const int32_t input[6] = {1, 2, 3, 4, 5, 6}, gradient[6] = {2, 2, 1, 4, 4, 2};
static const int32_t padded[15] = {4, 5, 6, 4, 5, 1, 2, 3, 1, 2, 4, 5, 6, 4, 5};
static const int32_t interior[15] = {0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0};
static const int32_t ones[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
/* This region holds the last two rows and columns of the output. A run writes it upside down, to every third element of `dst`. */
static const size_t start[] = {1, 3}, end[] = {3, 5};
static const ptrdiff_t strides[] = {-6, 3};
static const int32_t region[15] = {4, 1, 1, 5, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1};
/* Interior padding, and one element of fill before the first element. */
static const pad_axis spread = {1, 0, 1, PAD_MODE_CONSTANT, PAD_MODE_CONSTANT};
enum { IN = sizeof input, OUT = sizeof padded };

/* A request, its source, and its destination before and after a run. */
static const struct {
    pad_request asked;
    const void *src;
    size_t src_bytes;
    const void *before, *after;
    size_t dst_bytes;
} runs[] = {
    {{PAD_TASK_PAD, PAD_DTYPE_I32, 0, 0, 2, shape, axes, NULL, NULL, NULL, NULL, NULL}, input, IN, ones, padded, OUT},
    {{PAD_TASK_PAD, PAD_DTYPE_I32, 0, 0, 2, shape, axes, NULL, NULL, strides, start, end}, input, IN, ones, region, OUT},
    {{PAD_TASK_BORDERS, PAD_DTYPE_I32, 0, 0, 2, shape, axes, NULL, NULL, NULL, NULL, NULL}, NULL, 0, interior, padded, OUT},
    {{PAD_TASK_ADJOINT, PAD_DTYPE_I32, 0, 0, 2, shape, axes, NULL, NULL, NULL, NULL, NULL}, ones, OUT, input, gradient, IN},
    {{PAD_TASK_PAD, PAD_DTYPE_BYTES, 0, 3, 1, &two, &spread, "---", NULL, NULL, NULL, NULL}, "onetwo", 6, ones, "---one---two", 12},
    {{PAD_TASK_PAD, PAD_DTYPE_U4, 0, 0, 1, &two, &spread, "\7", NULL, NULL, NULL, NULL}, "\x21", 1, ones, "\x17\x27", 2},
};
static const pad_request *const request = &runs[0].asked;

static void run_all(void) {
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        pad_plan *plan = NULL;
        RETURNS(OK, pad_plan_new(&runs[i].asked, &plan));
        const pad_sizes sizes = pad_plan_sizes(plan);
        CHECK(sizes.src_bytes == runs[i].src_bytes && sizes.dst_bytes <= runs[i].dst_bytes);
        CHECK(sizes.rank == runs[i].asked.rank && sizes.output_shape[0] == (i == 1 ? 2 : sizes.rank == 2 ? 3 : 4));
        CHECK(i != 0 || sizes.output_shape[1] == 5);
        for (int way = 0; way < 3; way++) {
            unsigned char dst[OUT];
            memcpy(dst, runs[i].before, runs[i].dst_bytes);
            if (way == 2) RETURNS(OK, pad_once(&runs[i].asked, runs[i].src, runs[i].src_bytes, dst, runs[i].dst_bytes));
            else RETURNS(OK, pad_run(plan, way ? 2 : 0, runs[i].src, runs[i].src_bytes, dst, runs[i].dst_bytes));
            CHECK(memcmp(dst, runs[i].after, runs[i].dst_bytes) == 0);
        }
        /* A failed run writes nothing. */
        unsigned char dst[OUT];
        memcpy(dst, runs[i].before, runs[i].dst_bytes);
        const void *src = runs[i].src ? runs[i].src : input;
        RETURNS(SIZE, pad_run(plan, 0, src, runs[i].src ? runs[i].src_bytes - 1 : 1, dst, runs[i].dst_bytes));
        RETURNS(SIZE, pad_run(plan, 0, runs[i].src, runs[i].src_bytes, dst, sizes.dst_bytes - 1));
        if (!runs[i].asked.output_strides)
            RETURNS(SIZE, pad_run(plan, 0, runs[i].src, runs[i].src_bytes, dst, sizes.dst_bytes + 1));
        CHECK(memcmp(dst, runs[i].before, runs[i].dst_bytes) == 0);
        pad_plan_free(plan);
    }
}

/* Several threads share the work only if the output has 1 MiB or more. */
static void large_outputs(void) {
    static int32_t src[1 << 20], dst[(1 << 20) + 1];
    const size_t length = 1 << 20;
    pad_request large = *request;
    large.rank = 1;
    large.shape = &length;
    pad_plan *plan = NULL;
    for (size_t i = 0; i < length; i++) src[i] = (int32_t)i;
    RETURNS(OK, pad_plan_new(&large, &plan));
    RETURNS(OK, pad_run(plan, 2, src, sizeof src, dst, sizeof dst));
    CHECK(dst[0] == 1 && dst[1] == 0 && dst[length] == (int32_t)length - 1);
    pad_plan_free(plan);
}

static void errors(void) {
    int32_t output[15];
    pad_plan *plan = NULL, *none = NULL;
    RETURNS(OK, pad_plan_new(request, &plan));
    RETURNS(POINTER, pad_run(NULL, 0, input, IN, output, OUT));
    RETURNS(POINTER, pad_run(plan, 0, input, IN, NULL, OUT));
    RETURNS(POINTER, pad_run(plan, 0, NULL, IN, output, OUT));
    CHECK(strcmp(pad_last_error(), "src is NULL") == 0);
    RETURNS(SIZE, pad_run(plan, 0, input, SIZE_MAX, output, OUT));
    RETURNS(SIZE, pad_run(plan, 0, input, IN, output, OUT - 1));
    CHECK(strcmp(pad_last_error(), "dst_bytes is 59, and the plan needs 60") == 0);
    RETURNS(SIZE, pad_run(plan, PAD_MAX_THREADS + 1, input, IN, output, OUT));
    RETURNS(OVERLAP, pad_run(plan, 0, output + 9, IN, output, OUT));
    RETURNS(SIZE, pad_run(plan, 0, output, 2 * IN, output + 6, OUT));
    CHECK(strcmp(pad_last_error(), "src_bytes is 48, and the plan needs 24") == 0);
    pad_plan_free(plan);
    RETURNS(OK, pad_plan_new(&runs[3].asked, &plan));
    RETURNS(SIZE, pad_run(plan, 0, ones, OUT - 1, output, IN));
    CHECK(strcmp(pad_last_error(), "src_bytes is 59, and the plan needs 60") == 0);
    pad_plan_free(plan);
    RETURNS(POINTER, pad_plan_new(NULL, &none));
    RETURNS(POINTER, pad_plan_new(request, NULL));
    CHECK(strcmp(pad_last_error(), "plan is NULL") == 0);
    RETURNS(POINTER, pad_plan_new(request, (pad_plan **)((char *)&none + 1)));
    RETURNS(POINTER, pad_plan_new((const pad_request *)((const char *)request + 1), &none));
    CHECK(strstr(pad_last_error(), "request is 0x") && strstr(pad_last_error(), "no multiple of 8"));
    CHECK(pad_plan_sizes(NULL).rank == 0 && pad_plan_sizes(NULL).dst_bytes == 0);
    pad_request wrong = *request;
    wrong.dtype = 99;
    RETURNS(UNKNOWN_VALUE, pad_plan_new(&wrong, &none));
    CHECK(strcmp(pad_last_error(), "dtype is 99, which is no value of pad_dtype") == 0);
    const pad_axis unknown[] = {axes[0], {0, 2, 0, PAD_MODE_WRAP, 7}};
    wrong = *request;
    wrong.axes = unknown;
    RETURNS(UNKNOWN_VALUE, pad_plan_new(&wrong, &none));
    CHECK(strcmp(pad_last_error(), "axes[1].high_mode is 7, which is no value of pad_mode") == 0);
    wrong = *request;
    wrong.shape = (const size_t *)((const char *)shape + 1);
    RETURNS(POINTER, pad_plan_new(&wrong, &none));
    CHECK(strstr(pad_last_error(), "shape is 0x") && strstr(pad_last_error(), "no multiple of 8"));
    wrong = *request;
    wrong.dtype = PAD_DTYPE_BYTES;
    RETURNS(SIZE, pad_plan_new(&wrong, &none));
    CHECK(strstr(pad_last_error(), "element_bytes is 0, and PAD_DTYPE_BYTES needs 1 to") != NULL);
    const size_t beyond[] = {99, 5};
    wrong = *request;
    wrong.region_start = start;
    wrong.region_end = beyond;
    RETURNS(REFUSED, pad_plan_new(&wrong, &none));
    CHECK(strstr(pad_last_error(), "axis 0: region_start is 1 and region_end 99, not within 0 to") != NULL);
    const pad_axis cropped[] = {{-9, 0, 0, PAD_MODE_EDGE, PAD_MODE_EDGE}, axes[1]};
    wrong = *request;
    wrong.axes = cropped;
    RETURNS(REFUSED, pad_plan_new(&wrong, &none));
    CHECK(strstr(pad_last_error(), "axis 0") != NULL && none == NULL);
    pad_plan_free(NULL);
}

/* A program may call the library while it ends. */
static void at_end(void) {
    pad_plan_new(NULL, NULL);
    pad_last_error();
}

int main(void) {
    atexit(at_end);
    run_all();
    large_outputs();
    errors();
    printf("%s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
