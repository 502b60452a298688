// Decodes bodies piece by piece, with the decompression libraries that libcurl also uses, loaded at run time.
//
// libcurl's own decoding is not used: libcurl decodes everything that it has read before it checks whether it
// must pause, and keeps up to 64 MiB of the result in memory.

#ifndef CCURL_DECODING_H
#define CCURL_DECODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The coding of a body.
enum {
  CCURL_DEFLATE = 0,
  CCURL_GZIP = 1,
  CCURL_BROTLI = 2,
  CCURL_ZSTD = 3,
};

/// Whether the library for a coding can be opened; may be called on any thread.
bool ccurl_can_decode(int coding);

typedef struct ccurl_decoder ccurl_decoder;

/// Creates a decoder whose input is the output of `source`, or the body itself if `source` is NULL.
///
/// Takes ownership of `source`, even if the call fails. Returns NULL if the library is missing or there is no
/// memory.
ccurl_decoder *ccurl_decoder_make(int coding, ccurl_decoder *source);

void ccurl_decoder_free(ccurl_decoder *decoder);

/// The result of a call.
typedef enum {
  /// No error so far.
  CCURL_DECODED,
  /// The body does not have its announced coding.
  CCURL_DECODE_INVALID,
  /// Further bytes follow the end of the body.
  CCURL_DECODE_TRAILING_BYTES,
} ccurl_decode_result;

/// Decodes until there is some output or the input is used up.
///
/// Advances `*input` past the bytes used, and stores the number of bytes written in `*produced`. If it writes
/// nothing, it has used all of the input. Output without input comes from bytes that were used before.
ccurl_decode_result ccurl_decode(
    ccurl_decoder *decoder, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced);

/// Whether the body may end here.
bool ccurl_decoder_is_complete(const ccurl_decoder *decoder);

#endif
