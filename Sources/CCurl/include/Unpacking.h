// Decodes bodies piece by piece, with the libraries that libcurl uses for it, found at run time.
//
// libcurl itself decodes all that it has read before it checks whether it must pause, and keeps up to 64 MiB
// of the result in memory.

#ifndef CCURL_UNPACKING_H
#define CCURL_UNPACKING_H

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
bool ccurl_can_unpack(int coding);

typedef struct ccurl_unpacker ccurl_unpacker;

/// Creates a decoder whose input is the output of `source`, or the body itself if `source` is NULL.
///
/// Takes ownership of `source`, even if it fails. Returns NULL if the library is missing or there is no
/// memory.
ccurl_unpacker *ccurl_unpacker_make(int coding, ccurl_unpacker *source);

void ccurl_unpacker_free(ccurl_unpacker *unpacker);

/// The result of a call.
typedef enum {
  /// No error so far.
  CCURL_UNPACKED,
  /// The body does not have its announced coding.
  CCURL_UNPACK_BROKEN,
  /// Further bytes follow the end.
  CCURL_UNPACK_SURPLUS,
} ccurl_unpack_result;

/// Decodes until the output is full or the input is used up.
///
/// Advances `*input` past the bytes used, and stores the number of bytes written in `*produced`. If it writes
/// nothing, it has used all of the input. Output without input comes from bytes that were used before.
ccurl_unpack_result ccurl_unpack(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced);

/// Whether the body may end here.
bool ccurl_unpacker_is_whole(const ccurl_unpacker *unpacker);

#endif
