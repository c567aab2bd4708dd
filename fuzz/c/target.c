/* The libFuzzer target; the environment variable FUZZ_LAW selects the law: runs, judgments or numbers. */
#include <stdlib.h>
#include <string.h>

#include "laws.h"

static int (*law)(const uint8_t *, size_t) = law_of_runs;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *name = getenv("FUZZ_LAW");
    (void)argc, (void)argv;
    if (name && strcmp(name, "judgments") == 0) law = law_of_judgments;
    if (name && strcmp(name, "numbers") == 0) law = law_of_numbers;
    laws_prepare();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    law(data, size);
    return 0;
}
