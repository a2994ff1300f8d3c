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

/* A 2 x 3 tensor of int32, mirrored by (1, 0) and wrapped by (0, 2). */
static const size_t shape[] = {2, 3};
static pad_axis axes[2];
static pad_request request;
static const int32_t input[6] = {1, 2, 3, 4, 5, 6};
static const int32_t padded[15] = {4, 5, 6, 4, 5, 1, 2, 3, 1, 2, 4, 5, 6, 4, 5};

static pad_plan *planned(void) {
    pad_plan *plan = NULL;
    CHECK(pad_plan_new(&request, &plan) == PAD_STATUS_OK);
    return plan;
}

static void *run_often(void *shared) {
    for (int i = 0; i < 200; i++) {
        int32_t output[15];
        pad_status status = pad_run((const pad_plan *)shared, NULL, input, sizeof input, output, sizeof output);
        if (status != PAD_STATUS_OK || memcmp(output, padded, sizeof padded) != 0) return shared;
    }
    return NULL;
}

static void runs(void) {
    int32_t output[15] = {0};
    size_t lengths[2] = {0, 0};
    pad_plan *plan = planned();
    CHECK(pad_plan_output_shape(plan, lengths, 2) == PAD_STATUS_OK && lengths[0] == 3 && lengths[1] == 5);
    CHECK(pad_plan_input_bytes(plan) == sizeof input && pad_plan_output_bytes(plan) == sizeof output);
    CHECK(pad_run(plan, NULL, input, sizeof input, output, sizeof output) == PAD_STATUS_OK);
    CHECK(memcmp(output, padded, sizeof padded) == 0);
    memset(output, 0, sizeof output);
    CHECK(pad_once(&request, input, sizeof input, output, sizeof output) == PAD_STATUS_OK);
    CHECK(memcmp(output, padded, sizeof padded) == 0);
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
    pad_plan *plan = NULL;
    pad_pool *pool = NULL;
    CHECK(pad_plan_new(&large, &plan) == PAD_STATUS_OK);
    size_t bytes = pad_plan_output_bytes(plan);
    int32_t *src = (int32_t *)calloc(length, sizeof *src), *dst = (int32_t *)malloc(bytes);
    for (size_t i = 0; i < length; i++) src[i] = (int32_t)i;
    CHECK(pad_pool_new(2, &pool) == PAD_STATUS_OK);
    CHECK(pad_run(plan, pool, src, length * sizeof *src, dst, bytes) == PAD_STATUS_OK);
    CHECK(dst[0] == 1 && dst[1] == 0 && dst[length] == (int32_t)length - 1);
    CHECK(pad_pool_new(0, &pool) == PAD_STATUS_SIZE);
    CHECK(pad_pool_new(PAD_MAX_THREADS + 1, &pool) == PAD_STATUS_SIZE);
    pad_pool_free(pool);
    pad_plan_free(plan);
    free(src);
    free(dst);
}

/* The region of the last two rows and columns, upside down in every third element of a buffer. */
static void regions_and_strides(void) {
    const size_t start[] = {1, 3}, end[] = {3, 5};
    const ptrdiff_t strides[] = {-6, 3};
    int32_t output[12];
    memset(output, -1, sizeof output);
    pad_request part = request;
    part.region_start = start;
    part.region_end = end;
    part.output_strides = strides;
    CHECK(pad_once(&part, input, sizeof input, output, sizeof output) == PAD_STATUS_OK);
    const int32_t expected[12] = {4, -1, -1, 5, -1, -1, 1, -1, -1, 2, -1, -1};
    CHECK(memcmp(output, expected, sizeof expected) == 0);
    CHECK(pad_once(&part, input, sizeof input, output, 9 * sizeof *output) == PAD_STATUS_SIZE);
    part.region_end = NULL;
    CHECK(pad_once(&part, input, sizeof input, output, sizeof output) == PAD_STATUS_POINTER);
}

static void borders_and_adjoints(void) {
    int32_t output[15] = {0}, gradient[6];
    pad_plan *plan = planned();
    memcpy(output + 5, input, 3 * sizeof *input);
    memcpy(output + 10, input + 3, 3 * sizeof *input);
    CHECK(pad_run_borders(plan, output, sizeof output) == PAD_STATUS_OK);
    CHECK(memcmp(output, padded, sizeof padded) == 0);
    CHECK(pad_run_borders(plan, output, sizeof output - 4) == PAD_STATUS_SIZE);
    for (int i = 0; i < 15; i++) output[i] = 1;
    CHECK(pad_run_adjoint(plan, output, sizeof output, gradient, sizeof gradient) == PAD_STATUS_OK);
    const int32_t expected[6] = {2, 2, 1, 4, 4, 2};
    CHECK(memcmp(gradient, expected, sizeof expected) == 0);
    CHECK(pad_run_adjoint(plan, output, sizeof output - 4, gradient, sizeof gradient) == PAD_STATUS_SIZE);
    CHECK(pad_run_adjoint(plan, output, sizeof output, gradient, 4) == PAD_STATUS_SIZE);
    pad_plan_free(plan);
}

/* Elements of three bytes, and elements of half a byte. */
static void other_elements(void) {
    const size_t length = 2;
    pad_axis axis = {1, 0, 1, PAD_MODE_CONSTANT, PAD_MODE_CONSTANT};
    pad_request names;
    memset(&names, 0, sizeof names);
    names.element_bytes = 3;
    names.rank = 1;
    names.shape = &length;
    names.axes = &axis;
    names.fill = "---";
    char text[13] = "";
    CHECK(pad_once(&names, "onetwo", 6, text, 12) == PAD_STATUS_OK && strcmp(text, "---one---two") == 0);
    const unsigned char fill = 7, nibbles = 0x21;
    unsigned char bytes[2];
    names.dtype = PAD_DTYPE_U4;
    names.element_bytes = 0;
    names.fill = &fill;
    CHECK(pad_once(&names, &nibbles, 1, bytes, 2) == PAD_STATUS_OK && bytes[0] == 0x17 && bytes[1] == 0x27);
}

static void errors(void) {
    int32_t output[15];
    pad_plan *plan = planned(), *none = NULL;
    CHECK(pad_run(NULL, NULL, input, sizeof input, output, sizeof output) == PAD_STATUS_POINTER);
    CHECK(pad_run(plan, NULL, NULL, sizeof input, output, sizeof output) == PAD_STATUS_POINTER);
    CHECK(strcmp(pad_last_error(), "src is NULL or not aligned") == 0);
    CHECK(pad_run(plan, NULL, input, sizeof input, NULL, sizeof output) == PAD_STATUS_POINTER);
    CHECK(pad_run(plan, NULL, input, sizeof input - 1, output, sizeof output) == PAD_STATUS_SIZE);
    CHECK(pad_run(plan, NULL, input, sizeof input, output, sizeof output - 1) == PAD_STATUS_SIZE);
    CHECK(pad_run(plan, NULL, input, SIZE_MAX, output, sizeof output) == PAD_STATUS_SIZE);
    CHECK(pad_run(plan, NULL, output + 9, sizeof input, output, sizeof output) == PAD_STATUS_OVERLAP);
    CHECK(pad_plan_new(NULL, &none) == PAD_STATUS_POINTER && pad_plan_new(&request, NULL) == PAD_STATUS_POINTER);
    CHECK(pad_plan_output_shape(plan, NULL, 2) == PAD_STATUS_POINTER);
    CHECK(pad_plan_output_shape(plan, NULL, 3) == PAD_STATUS_SIZE);
    CHECK(pad_plan_input_bytes(NULL) == 0 && pad_plan_output_bytes(NULL) == 0);
    pad_request wrong = request;
    wrong.dtype = 99;
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_UNKNOWN_VALUE);
    wrong.dtype = PAD_DTYPE_I32;
    wrong.frame = -1;
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_UNKNOWN_VALUE);
    wrong.frame = PAD_FRAME_CROPPED;
    wrong.rank = PAD_MAX_RANK + 1;
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_SIZE);
    wrong.rank = 2;
    wrong.shape = (const size_t *)((const char *)shape + 1);
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_POINTER);
    wrong.shape = shape;
    axes[0].low = -9;
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_REFUSED && strstr(pad_last_error(), "axis 0") != NULL);
    axes[0].low = 1;
    axes[1].high_mode = 5;
    CHECK(pad_plan_new(&wrong, &none) == PAD_STATUS_UNKNOWN_VALUE && none == NULL);
    axes[1].high_mode = PAD_MODE_WRAP;
    pad_plan_free(plan);
}

int main(void) {
    axes[0].low = 1;
    axes[0].low_mode = axes[0].high_mode = PAD_MODE_REFLECT;
    axes[1].high = 2;
    axes[1].low_mode = axes[1].high_mode = PAD_MODE_WRAP;
    request.dtype = PAD_DTYPE_I32;
    request.rank = 2;
    request.shape = shape;
    request.axes = axes;
    runs();
    pools();
    regions_and_strides();
    borders_and_adjoints();
    other_elements();
    errors();
    printf("%s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
