#include "Zlib.h"

#include <pthread.h>

// Written once, before any access.
static zlib_library zlib;
static bool has_zlib;

static void open_zlib(void) {
  void *library = dlopen(LIBRARY_FILE("z"), RTLD_NOW | RTLD_LOCAL);
  has_zlib = ccurl_find(library, "inflateInit2_", &zlib.inflate_init) && ccurl_find(library, "inflate", &zlib.inflate) &&
             ccurl_find(library, "inflateReset", &zlib.inflate_reset) && ccurl_find(library, "inflateEnd", &zlib.inflate_end) &&
             ccurl_find(library, "deflateInit2_", &zlib.deflate_init) && ccurl_find(library, "deflate", &zlib.deflate) &&
             ccurl_find(library, "deflateReset", &zlib.deflate_reset) && ccurl_find(library, "deflateEnd", &zlib.deflate_end);
}

const zlib_library *ccurl_zlib(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_zlib);
  return has_zlib ? &zlib : NULL;
}

int ccurl_zlib_run(
    int (*step)(zlib_stream *, int), zlib_stream *stream, int flush, const uint8_t **input, size_t *count,
    uint8_t *output, size_t capacity, size_t *produced) {
  // At most 1 GiB, because the type is narrower than `size_t`; the caller calls again for the rest.
  unsigned available = *count > 1u << 30 ? 1u << 30 : (unsigned)*count;
  stream->next_in = *input;
  stream->avail_in = available;
  stream->next_out = output;
  stream->avail_out = (unsigned)capacity;
  int result = step(stream, flush);
  *input += available - stream->avail_in;
  *count -= available - stream->avail_in;
  *produced = capacity - stream->avail_out;
  return result;
}
