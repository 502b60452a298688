#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Starts or stops counting; starting sets the count to 0.
void allocation_counter_enable(bool enabled);

/// Returns the number of blocks that all threads allocated while counting was on; always 0 if the C library
/// is not glibc.
uint64_t allocation_counter_read(void);
