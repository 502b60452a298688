// The part of zlib that this module uses, loaded at run time as libcurl does.

#ifndef CCURL_ZLIB_H
#define CCURL_ZLIB_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __APPLE__
#define LIBRARY_FILE(name) "lib" name ".1.dylib"
#else
#define LIBRARY_FILE(name) "lib" name ".so.1"
#endif

// Finds a function of a library that could be opened.
static inline bool ccurl_find(void *library, const char *name, void *function) {
  return library && (*(void **)function = dlsym(library, name));
}

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

enum { ZLIB_NO_FLUSH = 0, ZLIB_SYNC_FLUSH = 2, ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUF_ERROR = -5 };

// Returns NULL if zlib cannot be opened; may be called on any thread.
const zlib_library *ccurl_zlib(void);

// Calls `inflate` or `deflate`; advances the input past the bytes used, and returns zlib's result.
int ccurl_zlib_run(
    int (*step)(zlib_stream *, int), zlib_stream *stream, int flush, const uint8_t **input, size_t *count,
    uint8_t *output, size_t capacity, size_t *produced);

#endif
