#ifndef CLOOPBACKSERVER_DEFLATE_H
#define CLOOPBACKSERVER_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether zlib can be loaded.
bool cloopback_can_deflate(void);

/// Compresses or decompresses a whole message of a WebSocket (RFC 7692, section 7.2) that refers to no other.
///
/// Returns the result, which the caller frees, and its size in `size`; NULL if the input is not valid, or if
/// the result would have more than `limit` bytes.
uint8_t *cloopback_deflate(const uint8_t *bytes, size_t count, size_t limit, size_t *size);
uint8_t *cloopback_inflate(const uint8_t *bytes, size_t count, size_t limit, size_t *size);

#endif
