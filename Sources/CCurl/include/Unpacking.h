// Unpacking bodies piece by piece, with the libraries that libcurl uses for it, found at run time.
//
// libcurl itself unpacks all that it has read before it looks whether it was told to pause, and keeps up to 64 MiB of that in memory.

#ifndef CCURL_UNPACKING_H
#define CCURL_UNPACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How a body is packed.
enum {
  CCURL_DEFLATE = 0,
  CCURL_GZIP = 1,
  CCURL_BROTLI = 2,
  CCURL_ZSTD = 3,
};

/// Whether the library for a coding can be opened; for any thread.
bool ccurl_can_unpack(int coding);

typedef struct ccurl_unpacker ccurl_unpacker;

/// Makes an unpacker whose input is what `source` makes of the body, or the body itself where that is NULL.
///
/// The unpacker owns its source, also where it cannot be made. Returns NULL without the library or memory.
ccurl_unpacker *ccurl_unpacker_make(int coding, ccurl_unpacker *source);

void ccurl_unpacker_free(ccurl_unpacker *unpacker);

/// What came of a call.
typedef enum {
  /// So far, so good.
  CCURL_UNPACKED,
  /// The body is not packed as it says.
  CCURL_UNPACK_BROKEN,
  /// Something follows the end.
  CCURL_UNPACK_SURPLUS,
} ccurl_unpack_result;

/// Unpacks until the output is full or there is no more input.
///
/// Takes what it has used off `*input`, and says in `*produced` how much it has written. Nothing written means that all of the input
/// is used; what is written without input comes of bytes used before.
ccurl_unpack_result ccurl_unpack(
    ccurl_unpacker *unpacker, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity, size_t *produced);

/// Whether the body may end here.
bool ccurl_unpacker_is_whole(const ccurl_unpacker *unpacker);

#endif
