/* Adds mirrored borders to a binary PPM image of 8 bits: pad_image WIDTH < IN.ppm > OUT.ppm */

#include <pad_kernels.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char *what) {
    fprintf(stderr, "pad_image: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    size_t shape[2];
    char *end = NULL;
    long width = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (end == NULL || *end != '\0') return failed("usage: pad_image WIDTH < IN.ppm > OUT.ppm");
    if (scanf("P6 %zu %zu 255", &shape[1], &shape[0]) != 2 || getchar() == EOF) return failed("no PPM picture");

    /* An element is a pixel of three bytes. */
    pad_axis axis = {width, width, 0, PAD_MODE_REFLECT, PAD_MODE_REFLECT};
    pad_axis axes[2] = {axis, axis};
    pad_request request = {.element_bytes = 3, .rank = 2, .shape = shape, .axes = axes, .fill = "\0\0\0"};
    pad_plan *plan = NULL;
    if (pad_plan_new(&request, &plan) != PAD_STATUS_OK) return failed(pad_last_error());
    const pad_sizes sizes = pad_plan_sizes(plan);
    unsigned char *src = malloc(sizes.src_bytes + 1), *dst = malloc(sizes.dst_bytes + 1);
    int status = 0;
    if (src == NULL || dst == NULL || fread(src, 1, sizes.src_bytes, stdin) != sizes.src_bytes) {
        status = failed("the picture is cut off");
    } else if (pad_run(plan, 0, src, sizes.src_bytes, dst, sizes.dst_bytes) != PAD_STATUS_OK) {
        status = failed(pad_last_error());
    } else {
        printf("P6\n%zu %zu\n255\n", sizes.output_shape[1], sizes.output_shape[0]);
        if (fwrite(dst, 1, sizes.dst_bytes, stdout) != sizes.dst_bytes) status = failed("cannot write");
    }
    pad_plan_free(plan);
    free(src);
    free(dst);
    return status;
}
