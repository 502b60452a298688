#define _GNU_SOURCE

#include "OpenSSL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

openssl_library cloopback_openssl;

// Written once, before any access.
static char problem[200];

// A process that is linked with an OpenSSL, such as libcurl's own, must not get a second one: the functions of both
// would call each other.
static void *open_library(const char *name, const char *function) {
  if (dlsym(RTLD_DEFAULT, function)) return RTLD_DEFAULT;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library && !*problem) snprintf(problem, sizeof problem, "%s cannot be loaded: %s", name, dlerror());
  return library;
}

static void find(void *library, const char *name, void **function) {
  *function = *problem ? NULL : dlsym(library, name);
  if (!*function && !*problem) snprintf(problem, sizeof problem, "OpenSSL has no function %s", name);
}

#define FIND(result, name, parameters) find(library, #name, (void **)&ssl.name);

static void load(void) {
  void *library = open_library("libcrypto.so.3", "X509_new");
  CRYPTO_FUNCTIONS(FIND)
  library = open_library("libssl.so.3", "SSL_new");
  TLS_FUNCTIONS(FIND)
}

bool cloopback_openssl_load(char *error, size_t capacity) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (*problem) snprintf(error, capacity, "%s", problem);
  return !*problem;
}

bool cloopback_openssl_failed(const char *what, char *error, size_t capacity) {
  const char *reason = ssl.ERR_reason_error_string(ssl.ERR_get_error());
  snprintf(error, capacity, "%s: %s", what, reason ? reason : "there is none in PEM");
  ssl.ERR_clear_error();
  return false;
}

void *cloopback_read_certificate(void *bio) {
  void *certificate = bio ? ssl.PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
  // The end of the text is an error for OpenSSL.
  if (!certificate) ssl.ERR_clear_error();
  return certificate;
}

void *cloopback_certificate(const char *pem) {
  void *bio = ssl.BIO_new_mem_buf(pem, -1);
  void *certificate = cloopback_read_certificate(bio);
  ssl.BIO_free(bio);
  return certificate;
}

void *cloopback_key(const char *pem) {
  void *bio = ssl.BIO_new_mem_buf(pem, -1);
  void *key = bio ? ssl.PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
  ssl.BIO_free(bio);
  return key;
}
