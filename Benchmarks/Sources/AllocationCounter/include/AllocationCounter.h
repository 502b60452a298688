#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Starts or stops counting; starting sets the count to 0.
void allocation_counter_enable(bool enabled);

/// How many blocks were allocated while counting, by all threads; always 0 where the C library is not glibc.
uint64_t allocation_counter_read(void);
