#include "Decoding.h"

#include "Zlib.h"

#include <pthread.h>
#include <stdlib.h>

enum { STAGE_BUFFER = 16 << 10 };

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
  const zlib_library *zlib;
  void *(*brotli_make)(void *, void *, void *);
  int (*brotli_decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
  void (*brotli_free)(void *);
  void *(*zstd_make)(void);
  size_t (*zstd_decode)(void *, zstd_output *, zstd_input *);
  size_t (*zstd_set)(void *, int, int);
  size_t (*zstd_free)(void *);
  unsigned (*zstd_is_error)(size_t);
  bool available[4];
} libraries;

static void open_libraries(void) {
  libraries.zlib = ccurl_zlib();
  libraries.available[CCURL_GZIP] = libraries.available[CCURL_DEFLATE] = libraries.zlib != NULL;
  void *brotli = dlopen(LIBRARY_FILE("brotlidec"), RTLD_NOW | RTLD_LOCAL);
  libraries.available[CCURL_BROTLI] = ccurl_find(brotli, "BrotliDecoderCreateInstance", &libraries.brotli_make) &&
                                      ccurl_find(brotli, "BrotliDecoderDecompressStream", &libraries.brotli_decode) &&
                                      ccurl_find(brotli, "BrotliDecoderDestroyInstance", &libraries.brotli_free);
  void *zstd = dlopen(LIBRARY_FILE("zstd"), RTLD_NOW | RTLD_LOCAL);
  libraries.available[CCURL_ZSTD] = ccurl_find(zstd, "ZSTD_createDStream", &libraries.zstd_make) &&
                                    ccurl_find(zstd, "ZSTD_decompressStream", &libraries.zstd_decode) &&
                                    ccurl_find(zstd, "ZSTD_DCtx_setParameter", &libraries.zstd_set) &&
                                    ccurl_find(zstd, "ZSTD_freeDStream", &libraries.zstd_free) &&
                                    ccurl_find(zstd, "ZSTD_isError", &libraries.zstd_is_error);
}

bool ccurl_can_decode(int coding) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  return coding >= 0 && coding < 4 && libraries.available[coding];
}

struct ccurl_decoder {
  int coding;
  // Whether the input used so far may be the whole body.
  bool isAtEnd;
  // For deflate, the first two bytes, which distinguish its two formats. For zstd, the first byte of a frame.
  uint8_t start[2];
  // How many bytes at the start have been seen.
  int startCount, startUsed;
  bool hasStream;
  zlib_stream stream;
  // The state of Brotli or zstd.
  void *state;
  // The source of the input, if that is not the body, and the unused part of its output.
  ccurl_decoder *source;
  uint8_t *buffer;
  size_t from, to;
};

// Initialises zlib; `bits` encodes the size of its window, and whether a frame surrounds the data.
static bool init_zlib(ccurl_decoder *decoder, int bits) {
  decoder->hasStream = libraries.zlib->inflate_init(&decoder->stream, bits, "1", (int)sizeof decoder->stream) == 0;
  return decoder->hasStream;
}

// Limits the window to 8 MiB, as RFC 9659 does for content codings; zstd itself allows 128 MiB.
static bool init_zstd(ccurl_decoder *decoder) {
  enum { WINDOW_LOG_MAX = 100 };
  decoder->state = libraries.zstd_make();
  return decoder->state && !libraries.zstd_is_error(libraries.zstd_set(decoder->state, WINDOW_LOG_MAX, 23));
}

ccurl_decoder *ccurl_decoder_make(int coding, ccurl_decoder *source) {
  ccurl_decoder *decoder = ccurl_can_decode(coding) ? calloc(1, sizeof *decoder) : NULL;
  if (!decoder) {
    ccurl_decoder_free(source);
    return NULL;
  }
  decoder->coding = coding;
  decoder->source = source;
  bool isReady = !source || (decoder->buffer = malloc(STAGE_BUFFER));
  switch (coding) {
  case CCURL_GZIP: isReady = isReady && init_zlib(decoder, 15 + 16); break;
  case CCURL_BROTLI: isReady = isReady && (decoder->state = libraries.brotli_make(NULL, NULL, NULL)); break;
  case CCURL_ZSTD: isReady = isReady && init_zstd(decoder); break;
  default: break;
  }
  if (isReady) return decoder;
  ccurl_decoder_free(decoder);
  return NULL;
}

void ccurl_decoder_free(ccurl_decoder *decoder) {
  if (!decoder) return;
  ccurl_decoder_free(decoder->source);
  free(decoder->buffer);
  if (decoder->hasStream) libraries.zlib->inflate_end(&decoder->stream);
  if (decoder->state && decoder->coding == CCURL_BROTLI) libraries.brotli_free(decoder->state);
  if (decoder->state && decoder->coding == CCURL_ZSTD) libraries.zstd_free(decoder->state);
  free(decoder);
}

static ccurl_decode_result decode_zlib(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  int result = ccurl_zlib_run(
      libraries.zlib->inflate, &decoder->stream, ZLIB_NO_FLUSH, input, count, output, capacity, produced);
  decoder->isAtEnd = result == ZLIB_STREAM_END;
  return result == ZLIB_OK || result == ZLIB_STREAM_END || result == ZLIB_BUF_ERROR ? CCURL_DECODED : CCURL_DECODE_INVALID;
}

// Some servers omit the frame (RFC 1950) around deflate data.
static ccurl_decode_result decode_deflate(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  uint8_t *start = decoder->start;
  for (; decoder->startCount < 2 && *count > 0; ++*input, --*count) start[decoder->startCount++] = **input;
  if (decoder->startCount < 2) return CCURL_DECODED;
  if (!decoder->hasStream) {
    bool isFramed = (start[0] & 0x0F) == 8 && start[0] >> 4 <= 7 && (start[0] << 8 | start[1]) % 31 == 0;
    if (!init_zlib(decoder, isFramed ? 15 : -15)) return CCURL_DECODE_INVALID;
  }
  if (decoder->startUsed < 2) {
    const uint8_t *rest = start + decoder->startUsed;
    size_t left = (size_t)(2 - decoder->startUsed);
    ccurl_decode_result result = decode_zlib(decoder, &rest, &left, output, capacity, produced);
    decoder->startUsed = 2 - (int)left;
    if (result != CCURL_DECODED || *produced > 0 || left > 0 || decoder->isAtEnd) return result;
  }
  return decode_zlib(decoder, input, count, output, capacity, produced);
}

static ccurl_decode_result decode_brotli(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  enum { FAILED = 0, SUCCESS = 1 };
  size_t room = capacity;
  int result = libraries.brotli_decode(decoder->state, count, input, &room, &output, NULL);
  *produced = capacity - room;
  decoder->isAtEnd = result == SUCCESS;
  return result == FAILED ? CCURL_DECODE_INVALID : CCURL_DECODED;
}

// Whether the next bytes continue the number at the beginning of a frame (RFC 8878, sections 3.1.1 and 3.1.2).
//
// The library may also read the formats before it, whose window it does not limit.
static bool may_begin_frame(ccurl_decoder *decoder, const uint8_t *input, size_t count) {
  static const uint8_t frame[] = {0x28, 0xB5, 0x2F, 0xFD}, skippable[] = {0x50, 0x2A, 0x4D, 0x18};
  for (int i = decoder->startCount; i < 4 && count > 0; ++i, ++input, --count) {
    if (i == 0) decoder->start[0] = *input & 0xF0;
    bool isSkippable = decoder->start[0] == skippable[0];
    if ((i == 0 && isSkippable ? *input & 0xF0 : *input) != (isSkippable ? skippable : frame)[i]) return false;
  }
  return true;
}

static ccurl_decode_result decode_zstd(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  if (!may_begin_frame(decoder, *input, *count)) return CCURL_DECODE_INVALID;
  zstd_input source = {*input, *count, 0};
  zstd_output target = {output, capacity, 0};
  size_t result = libraries.zstd_decode(decoder->state, &target, &source);
  *input += source.position;
  *count -= source.position;
  *produced = target.position;
  if (libraries.zstd_is_error(result)) return CCURL_DECODE_INVALID;
  // Another frame may follow.
  decoder->isAtEnd = result == 0;
  int checked = decoder->startCount + (int)(source.position < 4 ? source.position : 4);
  decoder->startCount = decoder->isAtEnd ? 0 : checked < 4 ? checked : 4;
  return CCURL_DECODED;
}

static ccurl_decode_result decode_some(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  switch (decoder->coding) {
  case CCURL_DEFLATE: return decode_deflate(decoder, input, count, output, capacity, produced);
  case CCURL_GZIP: return decode_zlib(decoder, input, count, output, capacity, produced);
  case CCURL_BROTLI: return decode_brotli(decoder, input, count, output, capacity, produced);
  default: return decode_zstd(decoder, input, count, output, capacity, produced);
  }
}

// Prepares to decode what follows the end of a part: another member of gzip (RFC 1952, section 2.2), or another
// frame of zstd. Returns false if neither can begin with this byte.
static bool begin_next_part(ccurl_decoder *decoder, uint8_t first) {
  enum { OK = 0, GZIP_ID1 = 0x1F };
  if (decoder->coding == CCURL_ZSTD) return true;
  if (decoder->coding != CCURL_GZIP || first != GZIP_ID1) return false;
  decoder->isAtEnd = false;
  return libraries.zlib->inflate_reset(&decoder->stream) == OK;
}

// Decodes one layer.
static ccurl_decode_result decode_layer(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  *produced = 0;
  while (*produced == 0) {
    if (decoder->isAtEnd && *count == 0) return CCURL_DECODED;
    if (decoder->isAtEnd && !begin_next_part(decoder, **input)) return CCURL_DECODE_TRAILING_BYTES;
    size_t before = *count;
    ccurl_decode_result result = decode_some(decoder, input, count, output, capacity, produced);
    if (result != CCURL_DECODED) return result;
    if (*produced == 0 && *count == before) return CCURL_DECODED;
  }
  return CCURL_DECODED;
}

ccurl_decode_result ccurl_decode(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced) {
  if (!decoder->source) return decode_layer(decoder, input, count, output, capacity, produced);
  while (true) {
    const uint8_t *rest = decoder->buffer + decoder->from;
    size_t left = decoder->to - decoder->from;
    ccurl_decode_result result = decode_layer(decoder, &rest, &left, output, capacity, produced);
    decoder->from = decoder->to - left;
    if (result != CCURL_DECODED || *produced > 0) return result;
    result = ccurl_decode(decoder->source, input, count, decoder->buffer, STAGE_BUFFER, &decoder->to);
    decoder->from = 0;
    if (result != CCURL_DECODED || decoder->to == 0) return result;
  }
}

bool ccurl_decoder_is_complete(const ccurl_decoder *decoder) {
  if (!decoder->isAtEnd) return false;
  return !decoder->source || ccurl_decoder_is_complete(decoder->source);
}
