#include "PublicSuffixes.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#ifdef __APPLE__
#define FILE_NAME "libpsl.5.dylib"
#else
#define FILE_NAME "libpsl.so.5"
#endif

// Written once, before any access.
static const void *list;
static int (*is_public_suffix)(const void *, const char *);

// Prefers the list of the system, which may be newer than the one in the library.
static void open_list(void) {
  void *library = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const void *(*latest)(const char *), *(*builtin)(void);
  *(void **)&is_public_suffix = dlsym(library, "psl_is_public_suffix");
  *(void **)&latest = dlsym(library, "psl_latest");
  *(void **)&builtin = dlsym(library, "psl_builtin");
  if (!is_public_suffix) return;
  if (latest) list = latest(NULL);
  if (!list && builtin) list = builtin();
}

ccurl_suffix ccurl_public_suffix(const char *domain) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_list);
  if (!list) return CCURL_SUFFIX_UNKNOWN;
  return is_public_suffix(list, domain) ? CCURL_SUFFIX_PUBLIC : CCURL_SUFFIX_PRIVATE;
}
