#include "Deflating.h"

#include "Zlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// Written once, before any access.
static zlib_library zlib;
static bool has_zlib;

static bool find(void *library, const char *name, void *function) {
  return library && (*(void **)function = dlsym(library, name));
}

static void open_zlib(void) {
#ifdef __APPLE__
  void *library = dlopen("libz.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
  has_zlib = find(library, "inflateInit2_", &zlib.inflate_init) && find(library, "inflate", &zlib.inflate) &&
             find(library, "inflateReset", &zlib.inflate_reset) && find(library, "inflateEnd", &zlib.inflate_end) &&
             find(library, "deflateInit2_", &zlib.deflate_init) && find(library, "deflate", &zlib.deflate) &&
             find(library, "deflateReset", &zlib.deflate_reset) && find(library, "deflateEnd", &zlib.deflate_end);
}

const zlib_library *ccurl_zlib(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_zlib);
  return has_zlib ? &zlib : NULL;
}

bool ccurl_can_deflate(void) { return ccurl_zlib() != NULL; }

struct ccurl_deflate_stream {
  bool compresses;
  zlib_stream stream;
};

ccurl_deflate_stream *ccurl_deflate_stream_make(bool compresses, int window_bits) {
  enum { DEFAULT_LEVEL = -1, DEFLATED = 8, DEFAULT_MEMORY = 8, DEFAULT_STRATEGY = 0 };
  ccurl_deflate_stream *made = ccurl_can_deflate() ? calloc(1, sizeof *made) : NULL;
  if (!made) return NULL;
  made->compresses = compresses;
  // A negative number of bits means raw data, without a frame.
  int size = (int)sizeof made->stream;
  int result = compresses ? zlib.deflate_init(
                                &made->stream, DEFAULT_LEVEL, DEFLATED, -window_bits, DEFAULT_MEMORY,
                                DEFAULT_STRATEGY, "1", size)
                          : zlib.inflate_init(&made->stream, -window_bits, "1", size);
  if (result == 0) return made;
  free(made);
  return NULL;
}

void ccurl_deflate_stream_free(ccurl_deflate_stream *stream) {
  if (!stream) return;
  (stream->compresses ? zlib.deflate_end : zlib.inflate_end)(&stream->stream);
  free(stream);
}

void ccurl_deflate_stream_reset(ccurl_deflate_stream *stream) {
  (stream->compresses ? zlib.deflate_reset : zlib.inflate_reset)(&stream->stream);
}

bool ccurl_deflate_stream_process(
    ccurl_deflate_stream *stream, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity,
    size_t *produced) {
  enum { SYNC_FLUSH = 2, OK = 0, STREAM_END = 1, BUF_ERROR = -5 };
  zlib_stream *zlib_state = &stream->stream;
  // At most 1 GiB, because the type is narrower than `size_t`; the caller calls again for the rest.
  unsigned available = *count > 1u << 30 ? 1u << 30 : (unsigned)*count;
  zlib_state->next_in = *input;
  zlib_state->avail_in = available;
  zlib_state->next_out = output;
  zlib_state->avail_out = (unsigned)capacity;
  int result = (stream->compresses ? zlib.deflate : zlib.inflate)(zlib_state, SYNC_FLUSH);
  *input += available - zlib_state->avail_in;
  *count -= available - zlib_state->avail_in;
  *produced = capacity - zlib_state->avail_out;
  // A message may end with a final block; what follows begins a new stream.
  if (result == STREAM_END && !stream->compresses) return zlib.inflate_reset(zlib_state) == OK;
  return result == OK || result == BUF_ERROR;
}

bool ccurl_deflate_stream_is_at_boundary(const ccurl_deflate_stream *stream) {
  enum { AFTER_BLOCK = 128 };
  return stream->stream.data_type & AFTER_BLOCK;
}
