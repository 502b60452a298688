#include "CurlReference.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

// The constants of curl.h that are used here, so that libcurl's development package is not needed.
enum {
  OPT_WRITEFUNCTION = 20011, OPT_URL = 10002, OPT_NOSIGNAL = 99, OPT_CAINFO = 10065, OPT_CAPATH = 10097, OPT_PIPEWAIT = 237,
  OPT_PRIVATE = 10103, INFO_PRIVATE = 0x100015, MOPT_MAXCONNECTS = 6, MSG_DONE = 1,
};

typedef struct {
  int msg;
  void *easy;
  union { void *whatever; int result; } data;
} message;

static size_t ignore(char *bytes, size_t size, size_t count, void *context) { return size * count; }

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

curl_reference_result curl_reference_run(const char *url, const char *authorities, int waits_for_streams, int concurrency,
                                         double seconds, uint64_t *latencies, uint64_t capacity) {
  curl_reference_result result = {0, 0};
  void *library = dlopen("libcurl.so.4", RTLD_NOW);
  if (!library) return result;
  void *(*easy_init)(void) = dlsym(library, "curl_easy_init");
  int (*easy_setopt)(void *, int, ...) = dlsym(library, "curl_easy_setopt");
  int (*easy_getinfo)(void *, int, ...) = dlsym(library, "curl_easy_getinfo");
  void (*easy_cleanup)(void *) = dlsym(library, "curl_easy_cleanup");
  void *(*multi_init)(void) = dlsym(library, "curl_multi_init");
  int (*multi_setopt)(void *, int, ...) = dlsym(library, "curl_multi_setopt");
  int (*multi_add_handle)(void *, void *) = dlsym(library, "curl_multi_add_handle");
  int (*multi_remove_handle)(void *, void *) = dlsym(library, "curl_multi_remove_handle");
  int (*multi_perform)(void *, int *) = dlsym(library, "curl_multi_perform");
  int (*multi_poll)(void *, void *, unsigned, int, int *) = dlsym(library, "curl_multi_poll");
  message *(*multi_info_read)(void *, int *) = dlsym(library, "curl_multi_info_read");
  int (*multi_cleanup)(void *) = dlsym(library, "curl_multi_cleanup");

  uint64_t *starts = calloc((size_t)concurrency, sizeof *starts);
  void *multi = multi_init();
  multi_setopt(multi, MOPT_MAXCONNECTS, 1000L);
  uint64_t end = now() + (uint64_t)(seconds * 1e9);
  int active = 0;
  for (int slot = 0; slot < concurrency; slot++) {
    void *easy = easy_init();
    easy_setopt(easy, OPT_URL, url);
    easy_setopt(easy, OPT_WRITEFUNCTION, ignore);
    easy_setopt(easy, OPT_NOSIGNAL, 1L);
    easy_setopt(easy, OPT_PIPEWAIT, (long)waits_for_streams);
    easy_setopt(easy, OPT_PRIVATE, &starts[slot]);
    if (authorities) {
      easy_setopt(easy, OPT_CAINFO, authorities);
      easy_setopt(easy, OPT_CAPATH, NULL);
    }
    starts[slot] = now();
    multi_add_handle(multi, easy);
    active++;
  }
  while (active > 0) {
    int running, queued;
    multi_perform(multi, &running);
    for (message *done; (done = multi_info_read(multi, &queued));) {
      void *easy = done->easy;
      uint64_t *start, time = now();
      if (done->data.result != 0) result.failures++;
      easy_getinfo(easy, INFO_PRIVATE, &start);
      if (result.requests < capacity) latencies[result.requests] = time - *start;
      result.requests++;
      multi_remove_handle(multi, easy);
      if (time < end) {
        *start = time;
        multi_add_handle(multi, easy);
      } else {
        easy_cleanup(easy);
        active--;
      }
    }
    if (active > 0) multi_poll(multi, NULL, 0, 1000, NULL);
  }
  multi_cleanup(multi);
  free(starts);
  return result;
}
