#pragma once
#include <stdint.h>

/// What one run has measured.
typedef struct {
  uint64_t requests;
  uint64_t failures;
} curl_reference_result;

/// Requests a URL over and over with libcurl's multi interface, so many at a time, on this thread.
///
/// `authorities` is a file of certificates to trust, or NULL. `latencies` gets the nanoseconds of each request, as many as
/// fit. Returns no requests where libcurl cannot be opened.
curl_reference_result curl_reference_run(const char *url, const char *authorities, int concurrency, double seconds,
                                         uint64_t *latencies, uint64_t capacity);
