/* A profiler as small as can be: it writes the ranges it is told of into the file that RANGES names. The types
   are those that NVTX 3 publishes for tools. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);
typedef struct {
    size_t size;
    int (*module)(int number, function ***table, unsigned *size);
} callbacks;

static void note(const char *what, const char *name) {
    FILE *file = fopen(getenv("RANGES"), "a");
    if (file) {
        fprintf(file, "%s%s\n", what, name);
        fclose(file);
    }
}

static int push(const char *name) {
    note("begin ", name);
    return 0;
}

static int pop(void) {
    note("end", "");
    return 0;
}

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t)) {
    const callbacks *found = tables(1);
    function **core;
    unsigned size;
    if (!found || found->size < sizeof(*found) || !found->module(1, &core, &size) || size < 16) return 0;
    *core[9] = (function)push;
    *core[11] = (function)pop;
    return 1;
}
