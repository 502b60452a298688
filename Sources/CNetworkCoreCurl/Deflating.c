#include "Deflating.h"

#include "Zlib.h"

#include <stdlib.h>

bool ccurl_can_deflate(void) { return ccurl_zlib() != NULL; }

struct ccurl_deflate_stream {
  bool compresses;
  zlib_stream stream;
};

ccurl_deflate_stream *ccurl_deflate_stream_make(bool compresses, int window_bits) {
  const zlib_library *zlib = ccurl_zlib();
  enum { DEFAULT_LEVEL = -1, DEFLATED = 8, DEFAULT_MEMORY = 8, DEFAULT_STRATEGY = 0 };
  ccurl_deflate_stream *made = zlib ? calloc(1, sizeof *made) : NULL;
  if (!made) return NULL;
  made->compresses = compresses;
  // A negative number of bits means raw data, without a frame.
  int size = (int)sizeof made->stream;
  int result = compresses ? zlib->deflate_init(
                                &made->stream, DEFAULT_LEVEL, DEFLATED, -window_bits, DEFAULT_MEMORY,
                                DEFAULT_STRATEGY, "1", size)
                          : zlib->inflate_init(&made->stream, -window_bits, "1", size);
  if (result == 0) return made;
  free(made);
  return NULL;
}

void ccurl_deflate_stream_free(ccurl_deflate_stream *stream) {
  if (!stream) return;
  (stream->compresses ? ccurl_zlib()->deflate_end : ccurl_zlib()->inflate_end)(&stream->stream);
  free(stream);
}

void ccurl_deflate_stream_reset(ccurl_deflate_stream *stream) {
  (stream->compresses ? ccurl_zlib()->deflate_reset : ccurl_zlib()->inflate_reset)(&stream->stream);
}

bool ccurl_deflate_stream_process(
    ccurl_deflate_stream *stream, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity,
    size_t *produced) {
  const zlib_library *zlib = ccurl_zlib();
  int result = ccurl_zlib_run(
      stream->compresses ? zlib->deflate : zlib->inflate, &stream->stream, ZLIB_SYNC_FLUSH, input, count, output,
      capacity, produced);
  // A message may end with a final block; what follows begins a new stream.
  if (result == ZLIB_STREAM_END && !stream->compresses) return zlib->inflate_reset(&stream->stream) == ZLIB_OK;
  return result == ZLIB_OK || result == ZLIB_BUF_ERROR;
}

bool ccurl_deflate_stream_is_at_boundary(const ccurl_deflate_stream *stream) {
  enum { AFTER_BLOCK = 128 };
  return stream->stream.data_type & AFTER_BLOCK;
}
