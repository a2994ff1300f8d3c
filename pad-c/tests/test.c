/* Tests of the C interface. C11; also compiled as C++. */

#include <pad_kernels.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, pad_last_error()); \
            failures++;                                                                    \
        }                                                                                  \
    } while (0)
#define RETURNS(status, call) CHECK((call) == PAD_STATUS_##status)

/* A 2 x 3 tensor of int32, mirrored by (1, 0) and wrapped by (0, 2). */
static const size_t shape[] = {2, 3};
static const pad_axis axes[] = {{1, 0, 0, PAD_MODE_REFLECT, PAD_MODE_REFLECT}, {0, 2, 0, PAD_MODE_WRAP, PAD_MODE_WRAP}};
static const pad_request request = {0, PAD_DTYPE_I32, 0, 0, 2, shape, axes, NULL, NULL, NULL, NULL, NULL};
static const int32_t input[6] = {1, 2, 3, 4, 5, 6};
static const int32_t padded[15] = {4, 5, 6, 4, 5, 1, 2, 3, 1, 2, 4, 5, 6, 4, 5};
static int32_t output[15];
enum { IN = sizeof input, OUT = sizeof output };

static pad_plan *planned(pad_request asked) {
    pad_plan *plan = NULL;
    RETURNS(OK, pad_plan_new(&asked, &plan));
    return plan;
}

static void *run_often(void *plan) {
    for (int i = 0; i < 200; i++) {
        int32_t own[15];
        pad_status status = pad_run((const pad_plan *)plan, NULL, input, IN, own, OUT);
        if (status != PAD_STATUS_OK || memcmp(own, padded, OUT) != 0) return plan;
    }
    return NULL;
}

static void runs(void) {
    pad_plan *plan = planned(request);
    const pad_sizes sizes = pad_plan_sizes(plan);
    CHECK(sizes.rank == 2 && sizes.output_shape[0] == 3 && sizes.output_shape[1] == 5);
    CHECK(sizes.src_bytes == IN && sizes.dst_bytes == OUT);
    RETURNS(OK, pad_run(plan, NULL, input, IN, output, OUT));
    CHECK(memcmp(output, padded, OUT) == 0);
    memset(output, 0, OUT);
    RETURNS(OK, pad_once(&request, input, IN, output, OUT));
    CHECK(memcmp(output, padded, OUT) == 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_often, plan);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        CHECK(failed == NULL);
    }
    pad_plan_free(plan);
    pad_plan_free(NULL);
}

static void pools(void) {
    const size_t length = 1 << 20;
    pad_request large = request;
    large.rank = 1;
    large.shape = &length;
    pad_plan *plan = planned(large);
    pad_pool *pool = NULL;
    const size_t bytes = pad_plan_sizes(plan).dst_bytes;
    int32_t *src = (int32_t *)calloc(length, sizeof *src), *dst = (int32_t *)malloc(bytes);
    for (size_t i = 0; i < length; i++) src[i] = (int32_t)i;
    RETURNS(OK, pad_pool_new(2, &pool));
    RETURNS(OK, pad_run(plan, pool, src, length * sizeof *src, dst, bytes));
    CHECK(dst[0] == 1 && dst[1] == 0 && dst[length] == (int32_t)length - 1);
    RETURNS(SIZE, pad_pool_new(0, &pool));
    RETURNS(SIZE, pad_pool_new(PAD_MAX_THREADS + 1, &pool));
    RETURNS(POINTER, pad_pool_new(1, NULL));
    pad_pool_free(pool);
    pad_pool_free(NULL);
    pad_plan_free(plan);
    free(src);
    free(dst);
}

/* The region of the last two rows and columns, upside down in every third element of a buffer. */
static void regions_and_strides(void) {
    const size_t start[] = {1, 3}, end[] = {3, 5};
    const ptrdiff_t strides[] = {-6, 3};
    memset(output, -1, OUT);
    pad_request part = request;
    part.region_start = start;
    part.region_end = end;
    part.output_strides = strides;
    RETURNS(OK, pad_once(&part, input, IN, output, OUT));
    const int32_t expected[12] = {4, -1, -1, 5, -1, -1, 1, -1, -1, 2, -1, -1};
    CHECK(memcmp(output, expected, sizeof expected) == 0);
    RETURNS(SIZE, pad_once(&part, input, IN, output, 9 * sizeof *output));
    part.region_end = NULL;
    RETURNS(POINTER, pad_once(&part, input, IN, output, OUT));
}

static void borders_and_adjoints(void) {
    const int32_t expected[6] = {2, 2, 1, 4, 4, 2};
    int32_t gradient[6];
    pad_request asked = request;
    asked.task = PAD_TASK_BORDERS;
    memset(output, 0, OUT);
    memcpy(output + 5, input, IN / 2);
    memcpy(output + 10, input + 3, IN / 2);
    RETURNS(OK, pad_once(&asked, NULL, 0, output, OUT));
    CHECK(memcmp(output, padded, OUT) == 0);
    RETURNS(SIZE, pad_once(&asked, NULL, 0, output, OUT - 4));
    RETURNS(SIZE, pad_once(&asked, input, IN, output, OUT));
    asked.task = PAD_TASK_ADJOINT;
    pad_plan *plan = planned(asked);
    CHECK(pad_plan_sizes(plan).src_bytes == OUT && pad_plan_sizes(plan).dst_bytes == IN);
    for (int i = 0; i < 15; i++) output[i] = 1;
    RETURNS(OK, pad_run(plan, NULL, output, OUT, gradient, IN));
    RETURNS(SIZE, pad_run(plan, NULL, output, OUT - 4, gradient, IN));
    RETURNS(SIZE, pad_run(plan, NULL, output, OUT, gradient, 4));
    CHECK(memcmp(gradient, expected, IN) == 0);
    pad_plan_free(plan);
}

/* Elements of three bytes, and elements of half a byte. */
static void other_elements(void) {
    const size_t length = 2;
    const pad_axis axis = {1, 0, 1, PAD_MODE_CONSTANT, PAD_MODE_CONSTANT};
    const unsigned char fill = 7, nibbles = 0x21;
    char text[13] = "", bytes[2];
    const pad_request names = {0, PAD_DTYPE_BYTES, 0, 3, 1, &length, &axis, "---", NULL, NULL, NULL, NULL};
    RETURNS(OK, pad_once(&names, "onetwo", 6, text, 12));
    CHECK(strcmp(text, "---one---two") == 0);
    const pad_request packed = {0, PAD_DTYPE_U4, 0, 0, 1, &length, &axis, &fill, NULL, NULL, NULL, NULL};
    RETURNS(OK, pad_once(&packed, &nibbles, 1, bytes, 2));
    CHECK(bytes[0] == 0x17 && bytes[1] == 0x27);
}

/* A request in which one thing is changed. */
#define WRONG(status, change)                       \
    do {                                            \
        pad_request wrong = request;                \
        pad_axis other[] = {axes[0], axes[1]};      \
        wrong.axes = other;                         \
        change;                                     \
        RETURNS(status, pad_plan_new(&wrong, &none)); \
    } while (0)

static void errors(void) {
    pad_plan *plan = planned(request), *none = NULL;
    RETURNS(POINTER, pad_run(NULL, NULL, input, IN, output, OUT));
    RETURNS(POINTER, pad_run(plan, NULL, NULL, IN, output, OUT));
    CHECK(strcmp(pad_last_error(), "src is NULL or not aligned") == 0);
    RETURNS(POINTER, pad_run(plan, NULL, input, IN, NULL, OUT));
    RETURNS(SIZE, pad_run(plan, NULL, input, IN - 1, output, OUT));
    RETURNS(SIZE, pad_run(plan, NULL, input, IN, output, OUT - 1));
    CHECK(strcmp(pad_last_error(), "the output has 59 bytes, and the plan needs 60") == 0);
    RETURNS(SIZE, pad_run(plan, NULL, input, SIZE_MAX, output, OUT));
    RETURNS(OVERLAP, pad_run(plan, NULL, output + 9, IN, output, OUT));
    RETURNS(POINTER, pad_plan_new(NULL, &none));
    RETURNS(POINTER, pad_plan_new(&request, NULL));
    CHECK(pad_plan_sizes(NULL).rank == 0 && pad_plan_sizes(NULL).dst_bytes == 0);
    WRONG(UNKNOWN_VALUE, wrong.dtype = 99);
    WRONG(UNKNOWN_VALUE, wrong.frame = -1);
    WRONG(UNKNOWN_VALUE, wrong.task = 3);
    WRONG(UNKNOWN_VALUE, other[1].high_mode = 5);
    WRONG(SIZE, wrong.rank = PAD_MAX_RANK + 1);
    WRONG(POINTER, wrong.shape = (const size_t *)((const char *)shape + 1));
    WRONG(REFUSED, other[0].low = -9);
    CHECK(strstr(pad_last_error(), "axis 0") != NULL && none == NULL);
    pad_plan_free(plan);
}

int main(void) {
    runs();
    pools();
    regions_and_strides();
    borders_and_adjoints();
    other_elements();
    errors();
    printf("%s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
