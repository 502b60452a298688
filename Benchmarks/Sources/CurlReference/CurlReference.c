#include "CurlReference.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

// The constants of curl.h that are used here, so that libcurl's development package is not needed.
enum {
  OPT_WRITEFUNCTION = 20011, OPT_URL = 10002, OPT_NOSIGNAL = 99, OPT_CAINFO = 10065, OPT_CAPATH = 10097, OPT_PIPEWAIT = 237,
  OPT_PRIVATE = 10103, INFO_PRIVATE = 0x100015, MOPT_MAXCONNECTS = 6, MOPT_MAX_HOST_CONNECTIONS = 7, MSG_DONE = 1,
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

// libcurl's functions, which `load` finds.
static struct {
  void *(*easy_init)(void);
  int (*easy_setopt)(void *, int, ...);
  int (*easy_getinfo)(void *, int, ...);
  void (*easy_cleanup)(void *);
  void *(*multi_init)(void);
  int (*multi_setopt)(void *, int, ...);
  int (*multi_add_handle)(void *, void *);
  int (*multi_remove_handle)(void *, void *);
  int (*multi_perform)(void *, int *);
  int (*multi_poll)(void *, void *, unsigned, int, int *);
  int (*multi_wakeup)(void *);
  message *(*multi_info_read)(void *, int *);
  int (*multi_cleanup)(void *);
} curl;

static int load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW);
  if (!library) return 0;
  curl.easy_init = dlsym(library, "curl_easy_init");
  curl.easy_setopt = dlsym(library, "curl_easy_setopt");
  curl.easy_getinfo = dlsym(library, "curl_easy_getinfo");
  curl.easy_cleanup = dlsym(library, "curl_easy_cleanup");
  curl.multi_init = dlsym(library, "curl_multi_init");
  curl.multi_setopt = dlsym(library, "curl_multi_setopt");
  curl.multi_add_handle = dlsym(library, "curl_multi_add_handle");
  curl.multi_remove_handle = dlsym(library, "curl_multi_remove_handle");
  curl.multi_perform = dlsym(library, "curl_multi_perform");
  curl.multi_poll = dlsym(library, "curl_multi_poll");
  curl.multi_wakeup = dlsym(library, "curl_multi_wakeup");
  curl.multi_info_read = dlsym(library, "curl_multi_info_read");
  curl.multi_cleanup = dlsym(library, "curl_multi_cleanup");
  return 1;
}

// Transfers that one thread hands to another.
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  void **transfers;
  int count;
} queue;

static void queue_init(queue *queue, int capacity) {
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->filled, NULL);
  queue->transfers = calloc((size_t)capacity, sizeof *queue->transfers);
  queue->count = 0;
}

static void queue_destroy(queue *queue) {
  pthread_mutex_destroy(&queue->mutex);
  pthread_cond_destroy(&queue->filled);
  free(queue->transfers);
}

static void queue_add(queue *queue, void *transfer) {
  pthread_mutex_lock(&queue->mutex);
  queue->transfers[queue->count++] = transfer;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

// Returns NULL if the queue is empty and the caller does not wait.
static void *queue_take(queue *queue, int waits) {
  pthread_mutex_lock(&queue->mutex);
  while (waits && queue->count == 0) pthread_cond_wait(&queue->filled, &queue->mutex);
  void *transfer = queue->count > 0 ? queue->transfers[--queue->count] : NULL;
  pthread_mutex_unlock(&queue->mutex);
  return transfer;
}

typedef struct {
  void *multi;
  _Atomic int active;
  uint64_t end, *latencies, capacity;
  curl_reference_result result;
  // Used if libcurl has a thread of its own.
  int has_thread;
  queue finished, started;
} run;

// Counts a response; returns whether its transfer is to start again.
static int count(run *run, void *easy) {
  uint64_t *start, time = now();
  curl.easy_getinfo(easy, INFO_PRIVATE, &start);
  if (run->result.requests < run->capacity) run->latencies[run->result.requests] = time - *start;
  run->result.requests++;
  *start = time;
  if (time < run->end) return 1;
  curl.easy_cleanup(easy);
  run->active--;
  return 0;
}

static void *perform(void *context) {
  run *run = context;
  while (run->active > 0) {
    int running, queued;
    curl.multi_perform(run->multi, &running);
    for (message *done; (done = curl.multi_info_read(run->multi, &queued));) {
      void *easy = done->easy;
      if (done->data.result != 0) run->result.failures++;
      curl.multi_remove_handle(run->multi, easy);
      if (run->has_thread) queue_add(&run->finished, easy);
      else if (count(run, easy)) curl.multi_add_handle(run->multi, easy);
    }
    if (run->active > 0) curl.multi_poll(run->multi, NULL, 0, 1000, NULL);
    if (!run->has_thread) continue;
    for (void *easy; (easy = queue_take(&run->started, 0));) curl.multi_add_handle(run->multi, easy);
  }
  return NULL;
}

static void perform_on_thread(run *run) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, perform, run) != 0) return;
  while (run->active > 0) {
    void *easy = queue_take(&run->finished, 1);
    if (count(run, easy)) queue_add(&run->started, easy);
    curl.multi_wakeup(run->multi);
  }
  pthread_join(thread, NULL);
}

curl_reference_result curl_reference_run(const char *url, const char *authorities, int waits_for_streams, int has_thread,
                                         int connections, int concurrency, double seconds, uint64_t *latencies,
                                         uint64_t capacity) {
  if (!load()) return (curl_reference_result){0, 0};
  run run = {.multi = curl.multi_init(), .active = concurrency, .end = now() + (uint64_t)(seconds * 1e9),
             .latencies = latencies, .capacity = capacity, .has_thread = has_thread};
  queue_init(&run.finished, concurrency);
  queue_init(&run.started, concurrency);
  uint64_t *starts = calloc((size_t)concurrency, sizeof *starts);
  curl.multi_setopt(run.multi, MOPT_MAXCONNECTS, 1000L);
  curl.multi_setopt(run.multi, MOPT_MAX_HOST_CONNECTIONS, (long)connections);
  for (int slot = 0; slot < concurrency; slot++) {
    void *easy = curl.easy_init();
    curl.easy_setopt(easy, OPT_URL, url);
    curl.easy_setopt(easy, OPT_WRITEFUNCTION, ignore);
    curl.easy_setopt(easy, OPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, OPT_PIPEWAIT, (long)waits_for_streams);
    curl.easy_setopt(easy, OPT_PRIVATE, &starts[slot]);
    if (authorities) {
      curl.easy_setopt(easy, OPT_CAINFO, authorities);
      curl.easy_setopt(easy, OPT_CAPATH, NULL);
    }
    starts[slot] = now();
    curl.multi_add_handle(run.multi, easy);
  }
  if (has_thread) perform_on_thread(&run);
  else perform(&run);
  curl.multi_cleanup(run.multi);
  queue_destroy(&run.finished);
  queue_destroy(&run.started);
  free(starts);
  return run.result;
}
