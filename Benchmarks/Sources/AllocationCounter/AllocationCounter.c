#include "AllocationCounter.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_bool is_enabled;
static _Atomic uint64_t count;

void allocation_counter_enable(bool enabled) {
  if (enabled) atomic_store(&count, 0);
  atomic_store(&is_enabled, enabled);
}

uint64_t allocation_counter_read(void) { return atomic_load(&count); }

// Functions that an executable defines replace those of the C library, for the Swift runtime too. glibc also
// exports its own functions under the names below, so that the replacements can call them.
#ifdef __GLIBC__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);

static inline void note(void) {
  if (atomic_load_explicit(&is_enabled, memory_order_relaxed))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}
#endif
