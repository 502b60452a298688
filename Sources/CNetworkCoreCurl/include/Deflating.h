// Compresses and decompresses messages in the raw format of DEFLATE (RFC 1951), as the extension
// permessage-deflate of WebSockets (RFC 7692) does. Uses zlib, which is loaded at run time.

#ifndef CCURL_DEFLATING_H
#define CCURL_DEFLATING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether zlib can be opened; may be called on any thread.
bool ccurl_can_deflate(void);

typedef struct ccurl_deflate_stream ccurl_deflate_stream;

/// Creates a stream with a window of 2 to the power of `window_bits` bytes, 9 to 15, or for decompression also 8.
///
/// Returns NULL if zlib is missing, if it does not support the window, or if there is no memory.
ccurl_deflate_stream *ccurl_deflate_stream_make(bool compresses, int window_bits);

void ccurl_deflate_stream_free(ccurl_deflate_stream *stream);

/// Makes the stream forget the data so far, to which later data may refer.
void ccurl_deflate_stream_reset(ccurl_deflate_stream *stream);

/// Processes input until it is used up or the output is full, and then ends the output at a byte boundary.
///
/// Advances `*input` past the bytes used, and stores the number of bytes written in `*produced`. If that is
/// `capacity`, more may follow without input. Returns false if the input is not valid.
bool ccurl_deflate_stream_process(
    ccurl_deflate_stream *stream, const uint8_t **input, size_t *count, uint8_t *output, size_t capacity,
    size_t *produced);

/// Whether the input so far ends where a block ends, as a message must.
bool ccurl_deflate_stream_is_at_boundary(const ccurl_deflate_stream *stream);

#endif
