#include "Unpacking.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { STAGE_BUFFER = 16 << 10 };

// The layout of zlib's z_stream, which inflateInit2_ checks.
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*zalloc)(void *, unsigned, unsigned);
  void (*zfree)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
} zlib_stream;

// The layouts of ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct {
  const void *bytes;
  size_t size, position;
} zstd_input;
typedef struct {
  void *bytes;
  size_t size, position;
} zstd_output;

// Written once, before any access.
static struct {
  int (*inflate_init)(zlib_stream *, int, const char *, int);
  int (*inflate)(zlib_stream *, int);
  int (*inflate_end)(zlib_stream *);
  void *(*brotli_make)(void *, void *, void *);
  int (*brotli_unpack)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
  void (*brotli_free)(void *);
  void *(*zstd_make)(void);
  size_t (*zstd_unpack)(void *, zstd_output *, zstd_input *);
  size_t (*zstd_set)(void *, int, int);
  size_t (*zstd_free)(void *);
  unsigned (*zstd_is_error)(size_t);
  bool can[4];
} libraries;

#ifdef __APPLE__
#define FILE_NAME(name) "lib" name ".1.dylib"
#else
#define FILE_NAME(name) "lib" name ".so.1"
#endif

static bool find(void *library, const char *name, void *function) {
  return library && (*(void **)function = dlsym(library, name));
}

static void open_libraries(void) {
  void *zlib = dlopen(FILE_NAME("z"), RTLD_NOW | RTLD_LOCAL);
  libraries.can[CCURL_GZIP] = libraries.can[CCURL_DEFLATE] = find(zlib, "inflateInit2_", &libraries.inflate_init) &&
                                                             find(zlib, "inflate", &libraries.inflate) &&
                                                             find(zlib, "inflateEnd", &libraries.inflate_end);
  void *brotli = dlopen(FILE_NAME("brotlidec"), RTLD_NOW | RTLD_LOCAL);
  libraries.can[CCURL_BROTLI] = find(brotli, "BrotliDecoderCreateInstance", &libraries.brotli_make) &&
                                find(brotli, "BrotliDecoderDecompressStream", &libraries.brotli_unpack) &&
                                find(brotli, "BrotliDecoderDestroyInstance", &libraries.brotli_free);
  void *zstd = dlopen(FILE_NAME("zstd"), RTLD_NOW | RTLD_LOCAL);
  libraries.can[CCURL_ZSTD] = find(zstd, "ZSTD_createDStream", &libraries.zstd_make) &&
                              find(zstd, "ZSTD_decompressStream", &libraries.zstd_unpack) &&
                              find(zstd, "ZSTD_DCtx_setParameter", &libraries.zstd_set) &&
                              find(zstd, "ZSTD_freeDStream", &libraries.zstd_free) &&
                              find(zstd, "ZSTD_isError", &libraries.zstd_is_error);
}

bool ccurl_can_unpack(int coding) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  return coding >= 0 && coding < 4 && libraries.can[coding];
}

struct ccurl_unpacker {
  int coding;
  // Whether the input used so far may be the whole body.
  bool isAtEnd;
  // For deflate, the first two bytes, which distinguish its two formats.
  uint8_t start[2];
  int startCount, startUsed;
  bool hasStream;
  zlib_stream stream;
  // The state of Brotli or zstd.
  void *state;
  // The source of the input, if it is not the body, and the part of its output that has not been used.
  ccurl_unpacker *source;
  uint8_t *buffer;
  size_t from, to;
};

// Initialises zlib; `bits` are the size of its window and whether a frame surrounds the data.
static bool begin(ccurl_unpacker *unpacker, int bits) {
  unpacker->hasStream = libraries.inflate_init(&unpacker->stream, bits, "1", (int)sizeof unpacker->stream) == 0;
  return unpacker->hasStream;
}

// Limits the window to 8 MiB, as RFC 9659 does for content codings; zstd itself allows 128 MiB.
static bool begin_zstd(ccurl_unpacker *unpacker) {
  enum { WINDOW_LOG_MAX = 100 };
  unpacker->state = libraries.zstd_make();
  return unpacker->state && !libraries.zstd_is_error(libraries.zstd_set(unpacker->state, WINDOW_LOG_MAX, 23));
}

ccurl_unpacker *ccurl_unpacker_make(int coding, ccurl_unpacker *source) {
  ccurl_unpacker *unpacker = ccurl_can_unpack(coding) ? calloc(1, sizeof *unpacker) : NULL;
  if (!unpacker) {
    ccurl_unpacker_free(source);
    return NULL;
  }
  unpacker->coding = coding;
  unpacker->source = source;
  bool isReady = !source || (unpacker->buffer = malloc(STAGE_BUFFER));
  switch (coding) {
  case CCURL_GZIP: isReady = isReady && begin(unpacker, 15 + 16); break;
  case CCURL_BROTLI: isReady = isReady && (unpacker->state = libraries.brotli_make(NULL, NULL, NULL)); break;
  case CCURL_ZSTD: isReady = isReady && begin_zstd(unpacker); break;
  default: break;
  }
  if (isReady) return unpacker;
  ccurl_unpacker_free(unpacker);
  return NULL;
}

void ccurl_unpacker_free(ccurl_unpacker *unpacker) {
  if (!unpacker) return;
  ccurl_unpacker_free(unpacker->source);
  free(unpacker->buffer);
  if (unpacker->hasStream) libraries.inflate_end(&unpacker->stream);
  if (unpacker->state && unpacker->coding == CCURL_BROTLI) libraries.brotli_free(unpacker->state);
  if (unpacker->state && unpacker->coding == CCURL_ZSTD) libraries.zstd_free(unpacker->state);
  free(unpacker);
}

static ccurl_unpack_result unpack_zlib(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  enum { NO_FLUSH = 0, OK = 0, STREAM_END = 1, BUF_ERROR = -5 };
  zlib_stream *stream = &unpacker->stream;
  // As many bytes as the type can hold; the caller calls again for the rest.
  unsigned available = *count > 1u << 30 ? 1u << 30 : (unsigned)*count;
  stream->next_in = *input;
  stream->avail_in = available;
  stream->next_out = output;
  stream->avail_out = (unsigned)capacity;
  int result = libraries.inflate(stream, NO_FLUSH);
  *input += available - stream->avail_in;
  *count -= available - stream->avail_in;
  *produced = capacity - stream->avail_out;
  unpacker->isAtEnd = result == STREAM_END;
  return result == OK || result == STREAM_END || result == BUF_ERROR ? CCURL_UNPACKED : CCURL_UNPACK_BROKEN;
}

// Some servers omit the frame (RFC 1950) around deflate data.
static ccurl_unpack_result unpack_deflate(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  uint8_t *start = unpacker->start;
  for (; unpacker->startCount < 2 && *count > 0; ++*input, --*count) start[unpacker->startCount++] = **input;
  if (unpacker->startCount < 2) return CCURL_UNPACKED;
  if (!unpacker->hasStream) {
    bool isFramed = (start[0] & 0x0F) == 8 && start[0] >> 4 <= 7 && (start[0] << 8 | start[1]) % 31 == 0;
    if (!begin(unpacker, isFramed ? 15 : -15)) return CCURL_UNPACK_BROKEN;
  }
  if (unpacker->startUsed < 2) {
    const uint8_t *rest = start + unpacker->startUsed;
    size_t left = (size_t)(2 - unpacker->startUsed);
    ccurl_unpack_result result = unpack_zlib(unpacker, &rest, &left, output, capacity, produced);
    unpacker->startUsed = 2 - (int)left;
    if (result != CCURL_UNPACKED || *produced > 0 || left > 0 || unpacker->isAtEnd) return result;
  }
  return unpack_zlib(unpacker, input, count, output, capacity, produced);
}

static ccurl_unpack_result unpack_brotli(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  enum { FAILED = 0, SUCCESS = 1 };
  size_t room = capacity;
  int result = libraries.brotli_unpack(unpacker->state, count, input, &room, &output, NULL);
  *produced = capacity - room;
  unpacker->isAtEnd = result == SUCCESS;
  return result == FAILED ? CCURL_UNPACK_BROKEN : CCURL_UNPACKED;
}

static ccurl_unpack_result unpack_zstd(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  zstd_input source = {*input, *count, 0};
  zstd_output target = {output, capacity, 0};
  size_t result = libraries.zstd_unpack(unpacker->state, &target, &source);
  *input += source.position;
  *count -= source.position;
  *produced = target.position;
  if (libraries.zstd_is_error(result)) return CCURL_UNPACK_BROKEN;
  // Another frame may follow.
  unpacker->isAtEnd = result == 0;
  return CCURL_UNPACKED;
}

static ccurl_unpack_result unpack_some(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  switch (unpacker->coding) {
  case CCURL_DEFLATE: return unpack_deflate(unpacker, input, count, output, capacity, produced);
  case CCURL_GZIP: return unpack_zlib(unpacker, input, count, output, capacity, produced);
  case CCURL_BROTLI: return unpack_brotli(unpacker, input, count, output, capacity, produced);
  default: return unpack_zstd(unpacker, input, count, output, capacity, produced);
  }
}

// Decodes one layer.
static ccurl_unpack_result unpack_layer(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  *produced = 0;
  while (*produced == 0) {
    if (unpacker->isAtEnd && *count == 0) return CCURL_UNPACKED;
    if (unpacker->isAtEnd && unpacker->coding != CCURL_ZSTD) return CCURL_UNPACK_SURPLUS;
    size_t before = *count;
    ccurl_unpack_result result = unpack_some(unpacker, input, count, output, capacity, produced);
    if (result != CCURL_UNPACKED) return result;
    if (*produced == 0 && *count == before) return CCURL_UNPACKED;
  }
  return CCURL_UNPACKED;
}

ccurl_unpack_result ccurl_unpack(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  if (!unpacker->source) return unpack_layer(unpacker, input, count, output, capacity, produced);
  while (true) {
    const uint8_t *rest = unpacker->buffer + unpacker->from;
    size_t left = unpacker->to - unpacker->from;
    ccurl_unpack_result result = unpack_layer(unpacker, &rest, &left, output, capacity, produced);
    unpacker->from = unpacker->to - left;
    if (result != CCURL_UNPACKED || *produced > 0) return result;
    result = ccurl_unpack(unpacker->source, input, count, unpacker->buffer, STAGE_BUFFER, &unpacker->to);
    unpacker->from = 0;
    if (result != CCURL_UNPACKED || unpacker->to == 0) return result;
  }
}

bool ccurl_unpacker_is_whole(const ccurl_unpacker *unpacker) {
  if (!unpacker->isAtEnd) return false;
  return !unpacker->source || ccurl_unpacker_is_whole(unpacker->source);
}
