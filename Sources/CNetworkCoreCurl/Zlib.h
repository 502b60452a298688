// The part of zlib that this module uses, loaded at run time as libcurl does.

#ifndef CCURL_ZLIB_H
#define CCURL_ZLIB_H

#include <stdint.h>

// The layout of zlib's z_stream, whose size the init functions check.
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

typedef struct {
  int (*inflate_init)(zlib_stream *, int, const char *, int);
  int (*inflate)(zlib_stream *, int);
  int (*inflate_reset)(zlib_stream *);
  int (*inflate_end)(zlib_stream *);
  int (*deflate_init)(zlib_stream *, int, int, int, int, int, const char *, int);
  int (*deflate)(zlib_stream *, int);
  int (*deflate_reset)(zlib_stream *);
  int (*deflate_end)(zlib_stream *);
} zlib_library;

// Returns NULL if zlib cannot be opened; may be called on any thread.
const zlib_library *ccurl_zlib(void);

#endif
