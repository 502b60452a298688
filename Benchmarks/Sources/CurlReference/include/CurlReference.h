#pragma once
#include <stdint.h>

/// The result of one run.
typedef struct {
  uint64_t requests;
  uint64_t failures;
} curl_reference_result;

/// Requests a URL repeatedly with libcurl's multi interface, `concurrency` requests at a time.
///
/// `has_thread` is 0 if the calling thread does everything, and 1 if libcurl runs on another thread, which hands each
/// response to the calling thread and receives the next request from it, as in a library with callbacks.
/// `authorities` is a file with the only certificates to trust, which libcurl reads once; NULL means its defaults, a
/// file and a directory. `waits_for_streams` is 1 if requests wait until the first connection is known to carry several
/// of them, as with HTTP/2, or not; otherwise 0. `connections` is the largest number of connections to the server; 0 means
/// any number. With no seconds, each request is sent once. `latencies` receives the nanoseconds of each
/// request, up to `capacity`. Returns no requests if libcurl cannot be opened.
curl_reference_result curl_reference_run(const char *url, const char *authorities, int waits_for_streams, int has_thread,
                                         int connections, int concurrency, double seconds, uint64_t *latencies,
                                         uint64_t capacity);
