#include "TestParallelism.h"

#include <stdlib.h>

__attribute__((constructor)) static void limit_parallelism(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
