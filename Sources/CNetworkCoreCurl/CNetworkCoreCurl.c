#include "CNetworkCoreCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { GLOBAL_ALL = 3, MESSAGE_DONE = 1 };

// The layout of libcurl's CURLMsg.
typedef struct {
  int kind;
  void *easy;
  union {
    void *whatever;
    int result;
  } data;
} message;

static bool find(void *library, const char *name, void **function, char *error, size_t capacity) {
  *function = dlsym(library, name);
  if (*function) return true;
  snprintf(error, capacity, "it has no function %s", name);
  return false;
}

// Checked before the functions are looked up, because the error for a missing function does not name the
// version.
static bool is_new_enough(void *library, ccurl_version floor, char *error, size_t capacity) {
  char *(*version)(void);
  *(void **)&version = dlsym(library, "curl_version");
  const char *text = version ? version() : NULL;
  int major, minor;
  if (!text || sscanf(text, "libcurl/%d.%d", &major, &minor) != 2) return true;
  if (major > floor.major || (major == floor.major && minor >= floor.minor)) return true;
  int length = (int)strcspn(text, " ");
  snprintf(error, capacity, "%.*s was found, and %d.%d or newer is needed", length, text, floor.major, floor.minor);
  return false;
}

static bool fill(ccurl_library *curl, void *library, char *error, size_t capacity) {
  struct {
    const char *name;
    void **function;
  } wanted[] = {
      {"curl_easy_init", (void **)&curl->easy_init},
      {"curl_easy_cleanup", (void **)&curl->easy_cleanup},
      {"curl_easy_reset", (void **)&curl->easy_reset},
      {"curl_easy_setopt", (void **)&curl->easy_setopt},
      {"curl_easy_getinfo", (void **)&curl->easy_getinfo},
      {"curl_easy_strerror", (void **)&curl->easy_strerror},
      {"curl_easy_pause", (void **)&curl->easy_pause},
      {"curl_multi_init", (void **)&curl->multi_init},
      {"curl_multi_cleanup", (void **)&curl->multi_cleanup},
      {"curl_multi_setopt", (void **)&curl->multi_setopt},
      {"curl_multi_add_handle", (void **)&curl->multi_add_handle},
      {"curl_multi_remove_handle", (void **)&curl->multi_remove_handle},
      {"curl_multi_socket_action", (void **)&curl->multi_socket_action},
      {"curl_multi_info_read", (void **)&curl->multi_info_read},
      {"curl_url", (void **)&curl->url_init},
      {"curl_url_set", (void **)&curl->url_set},
      {"curl_url_cleanup", (void **)&curl->url_cleanup},
      {"curl_version", (void **)&curl->version},
      {"curl_global_init", (void **)&curl->global_init},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    if (!find(library, wanted[index].name, wanted[index].function, error, capacity)) return false;
  }
  return true;
}

// Only for OpenSSL: otherwise another library that libcurl uses, such as LDAP, may provide the same symbols.
static void fill_tls(ccurl_library *curl, void *library) {
  const char *version = curl->version();
  if (!version || !strstr(version, " OpenSSL/")) return;
  *(void **)&curl->tls_control = dlsym(library, "SSL_CTX_ctrl");
  *(void **)&curl->tls_clear_options = dlsym(library, "SSL_CTX_clear_options");
  *(void **)&curl->tls_get_shutdown = dlsym(library, "SSL_get_shutdown");
  *(void **)&curl->tls_get0_alpn_selected = dlsym(library, "SSL_get0_alpn_selected");
  *(void **)&curl->tls_get_version = dlsym(library, "SSL_get_version");
}

static int prepare_tls(void *easy, void *tls, void *context) {
  enum { IGNORE_UNEXPECTED_EOF = 1 << 7, SET_READ_AHEAD = 41 };
  (void)easy;
  const ccurl_library *curl = context;
  if (curl->tls_clear_options) curl->tls_clear_options(tls, IGNORE_UNEXPECTED_EOF);
  if (curl->tls_control) curl->tls_control(tls, SET_READ_AHEAD, 0, NULL);
  return 0;
}

void ccurl_setopt_tls(const ccurl_library *curl, void *easy) {
  enum { SSL_CTX_FUNCTION = 20108, SSL_CTX_DATA = 10109 };
  if (!curl->tls_clear_options && !curl->tls_control) return;
  curl->easy_setopt(easy, SSL_CTX_DATA, (void *)curl);
  curl->easy_setopt(easy, SSL_CTX_FUNCTION, prepare_tls);
}

// Returns OpenSSL's `SSL` of the connection that a transfer uses; NULL if there is none.
static const void *connection_tls(const ccurl_library *curl, void *easy) {
  enum { TLS_SSL_PTR = 0x400000 + 45, OPENSSL = 1 };
  // The layout of libcurl's curl_tlssessioninfo.
  const struct {
    int backend;
    const void *internals;
  } *session = NULL;
  if (curl->easy_getinfo(easy, TLS_SSL_PTR, &session) || !session || session->backend != OPENSSL) return NULL;
  return session->internals;
}

ccurl_close_notify ccurl_close_notify_state(const ccurl_library *curl, void *easy) {
  enum { RECEIVED_SHUTDOWN = 2 };
  const void *tls = curl->tls_get_shutdown ? connection_tls(curl, easy) : NULL;
  if (!tls) return CCURL_CLOSE_NOTIFY_UNKNOWN;
  return curl->tls_get_shutdown(tls) & RECEIVED_SHUTDOWN ? CCURL_CLOSE_NOTIFY_RECEIVED : CCURL_CLOSE_NOTIFY_MISSING;
}

ccurl_alpn ccurl_alpn_protocol(const ccurl_library *curl, void *easy) {
  const void *tls = curl->tls_get0_alpn_selected ? connection_tls(curl, easy) : NULL;
  if (!tls) return CCURL_ALPN_UNKNOWN;
  const unsigned char *name = NULL;
  unsigned length = 0;
  curl->tls_get0_alpn_selected(tls, &name, &length);
  return length == 2 && memcmp(name, "h2", 2) == 0 ? CCURL_ALPN_HTTP2 : CCURL_ALPN_OTHER;
}

const char *ccurl_tls_version(const ccurl_library *curl, void *easy) {
  const void *tls = curl->tls_get_version ? connection_tls(curl, easy) : NULL;
  return tls ? curl->tls_get_version(tls) : NULL;
}

// Written only right after a fork, by the only thread of the new process.
static atomic_uint forks;

static void note_fork(void) { atomic_fetch_add(&forks, 1); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

unsigned ccurl_fork_count(void) { return atomic_load_explicit(&forks, memory_order_relaxed); }

static atomic_uint forks_at_last_registration;
static _Atomic(void (*)(void)) exit_handler;

// A forked process inherits the registration, but another thread of the original process may have held any
// lock, such as those of Swift's runtime.
static void run_exit_handler(void) {
  if (atomic_load(&forks_at_last_registration) == atomic_load(&forks)) atomic_load(&exit_handler)();
}

static void register_exit_handler(void) { atexit(run_exit_handler); }

void ccurl_at_exit(void (*handler)(void)) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  atomic_store(&exit_handler, handler);
  atomic_store(&forks_at_last_registration, atomic_load(&forks));
  pthread_once(&once, register_exit_handler);
}

const ccurl_library *ccurl_load(
    const char *const *names, size_t count, ccurl_version floor, char *error, size_t capacity) {
  static pthread_once_t watch = PTHREAD_ONCE_INIT;
  pthread_once(&watch, watch_forks);
  void *library = NULL;
  snprintf(error, capacity, "no library name was given");
  for (size_t index = 0; index < count && !library; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (library) break;
    // The error gives only the reason for the first name, because the others are alternative names of the
    // same library.
    const char *reason = dlerror();
    if (index == 0) snprintf(error, capacity, "%s", reason ? reason : "it cannot be opened");
  }
  if (!library) return NULL;

  ccurl_library *curl = calloc(1, sizeof *curl);
  if (!curl) {
    snprintf(error, capacity, "out of memory");
    dlclose(library);
    return NULL;
  }
  if (!is_new_enough(library, floor, error, capacity) || !fill(curl, library, error, capacity)) {
    free(curl);
    dlclose(library);
    return NULL;
  }
  // libcurl counts these calls, so FoundationNetworking's own call and a second load are harmless.
  int code = curl->global_init(GLOBAL_ALL);
  if (code) {
    snprintf(error, capacity, "curl_global_init: %s", curl->easy_strerror(code));
    free(curl);
    dlclose(library);
    return NULL;
  }
  fill_tls(curl, library);
  return curl;
}

void ccurl_release(const ccurl_library *curl) { free((void *)curl); }

int ccurl_open_socket(void *context, int purpose, ccurl_sockaddr *address) {
  (void)context;
  (void)purpose;
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->kind | SOCK_CLOEXEC, address->protocol);
#else
  int opened = socket(address->family, address->kind, address->protocol);
  if (opened >= 0) fcntl(opened, F_SETFD, FD_CLOEXEC);
  return opened;
#endif
}

ccurl_metrics ccurl_read_metrics(const ccurl_library *curl, void *easy) {
  enum { STRING = 0x100000, LONG = 0x200000, OFFSET = 0x600000 };
  ccurl_metrics found = {0};
  struct {
    int info;
    void *value;
  } wanted[] = {
      {OFFSET + 51, &found.nameLookup},
      {OFFSET + 52, &found.connect},
      {OFFSET + 56, &found.secureConnect},
      {OFFSET + 54, &found.firstByte},
      {OFFSET + 50, &found.total},
      {OFFSET + 7, &found.bodyBytesSent},
      {OFFSET + 8, &found.bodyBytesReceived},
      {LONG + 11, &found.headBytesReceived},
      {LONG + 46, &found.httpVersion},
      {LONG + 26, &found.newConnections},
      {LONG + 40, &found.remotePort},
      {STRING + 32, &found.remoteAddress},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++)
    curl->easy_getinfo(easy, wanted[index].info, wanted[index].value);
  return found;
}

void *ccurl_multi_next_done(const ccurl_library *curl, void *multi, long *code) {
  int remaining = 0;
  message *next;
  while ((next = curl->multi_info_read(multi, &remaining))) {
    if (next->kind != MESSAGE_DONE) continue;
    *code = next->data.result;
    return next->easy;
  }
  return NULL;
}
