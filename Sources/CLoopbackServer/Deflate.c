#include "Deflate.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The layout of zlib's z_stream, whose size the functions check.
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state, *zalloc, *zfree, *opaque;
  int data_type;
  unsigned long adler, reserved;
} zlib_stream;

enum { OK = 0, STREAM_END = 1, BUFFER_ERROR = -5, SYNC_FLUSH = 2 };
// Raw data, without a frame, and with the largest window.
enum { RAW = -15 };

// Written once, before any access.
static struct {
  int (*deflateInit2_)(zlib_stream *, int, int, int, int, int, const char *, int);
  int (*deflate)(zlib_stream *, int);
  int (*deflateEnd)(zlib_stream *);
  int (*inflateInit2_)(zlib_stream *, int, const char *, int);
  int (*inflate)(zlib_stream *, int);
  int (*inflateEnd)(zlib_stream *);
  bool isComplete;
} zlib;

static void load(void) {
#ifdef __APPLE__
  void *library = dlopen("libz.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
  zlib.isComplete = library && (*(void **)&zlib.deflateInit2_ = dlsym(library, "deflateInit2_")) &&
                    (*(void **)&zlib.deflate = dlsym(library, "deflate")) &&
                    (*(void **)&zlib.deflateEnd = dlsym(library, "deflateEnd")) &&
                    (*(void **)&zlib.inflateInit2_ = dlsym(library, "inflateInit2_")) &&
                    (*(void **)&zlib.inflate = dlsym(library, "inflate")) &&
                    (*(void **)&zlib.inflateEnd = dlsym(library, "inflateEnd"));
}

bool cloopback_can_deflate(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return zlib.isComplete;
}

// Runs a step over all input; returns its output, or NULL.
static uint8_t *run(zlib_stream *stream, int (*step)(zlib_stream *, int), size_t limit, size_t *size) {
  uint8_t *output = NULL;
  size_t capacity = 0, count = 0;
  int result = OK;
  while (result == OK && count <= limit) {
    if (count == capacity) {
      capacity = 2 * capacity + 1024;
      uint8_t *larger = realloc(output, capacity);
      if (!larger) break;
      output = larger;
    }
    stream->next_out = output + count;
    stream->avail_out = (unsigned)(capacity - count > INT_MAX ? INT_MAX : capacity - count);
    result = step(stream, SYNC_FLUSH);
    count = (size_t)(stream->next_out - output);
    // Output that is not full holds everything.
    if (stream->avail_out) break;
  }
  *size = count;
  // After a final block, the bytes that end every message are left.
  bool isWhole = result == STREAM_END || ((result == OK || result == BUFFER_ERROR) && !stream->avail_in);
  if (isWhole && count <= limit) return output;
  free(output);
  return NULL;
}

uint8_t *cloopback_deflate(const uint8_t *bytes, size_t count, size_t limit, size_t *size) {
  enum { DEFAULT_LEVEL = -1, DEFLATED = 8, MEMORY = 8, STRATEGY = 0, END = 4 };
  zlib_stream stream = {.next_in = bytes, .avail_in = (unsigned)count};
  if (count > INT_MAX || !cloopback_can_deflate()) return NULL;
  if (zlib.deflateInit2_(&stream, DEFAULT_LEVEL, DEFLATED, RAW, MEMORY, STRATEGY, "1", (int)sizeof stream) != OK) return NULL;
  uint8_t *output = run(&stream, zlib.deflate, limit, size);
  zlib.deflateEnd(&stream);
  // The empty block at the end of a message is not sent.
  if (output) *size -= *size >= END ? END : 0;
  return output;
}

uint8_t *cloopback_inflate(const uint8_t *bytes, size_t count, size_t limit, size_t *size) {
  static const uint8_t end[] = {0, 0, 0xFF, 0xFF};
  if (count > INT_MAX - sizeof end || !cloopback_can_deflate()) return NULL;
  uint8_t *whole = malloc(count + sizeof end);
  if (!whole) return NULL;
  if (count) memcpy(whole, bytes, count);
  memcpy(whole + count, end, sizeof end);
  zlib_stream stream = {.next_in = whole, .avail_in = (unsigned)(count + sizeof end)};
  uint8_t *output = NULL;
  if (zlib.inflateInit2_(&stream, RAW, "1", (int)sizeof stream) == OK) {
    output = run(&stream, zlib.inflate, limit, size);
    zlib.inflateEnd(&stream);
  }
  free(whole);
  return output;
}
