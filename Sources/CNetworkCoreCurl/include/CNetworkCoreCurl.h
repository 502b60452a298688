// Run-time binding to the part of libcurl that the Swift code uses.
//
// The library is opened with dlopen, so that neither building nor running needs libcurl's development
// package. The numbers below are part of libcurl's ABI, which has not changed since soname 4 (2006). The
// functions are called through a table that is filled once; the wrappers exist because Swift cannot call
// variadic functions.

#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Configuration.h"
#include "SystemInfo.h"
#include "Reactor.h"
#include "Decoding.h"
#include "Deflating.h"
#include "PublicSuffixes.h"

/// Called with received bytes; returns the number of bytes that it has processed. The transfer ends if that
/// is not all of them, and pauses if it is `CCURL_WRITEFUNC_PAUSE`.
typedef size_t (*ccurl_write_callback)(char *bytes, size_t size, size_t count, void *context);
/// Called for bytes to send; returns the number of bytes that it has written to the buffer, 0 at the end.
typedef size_t (*ccurl_read_callback)(char *buffer, size_t size, size_t count, void *context);
/// Called to move to another position of the data to send; returns 0 on success.
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
/// Called when bytes are sent or received; returns 0 to continue.
typedef int (*ccurl_progress_callback)(
    void *context, int64_t downloadTotal, int64_t downloaded, int64_t uploadTotal, int64_t uploaded);
/// Called when a connection is ready, before the request is sent over it; returns 0 to continue.
typedef int (*ccurl_prerequest_callback)(
    void *context, char *remoteAddress, char *localAddress, int remotePort, int localPort);

/// Called with a message of libcurl's log or other debug data; returns 0.
typedef int (*ccurl_debug_callback)(void *easy, int kind, char *text, size_t length, void *context);

/// Called when libcurl changes the events for which to watch a socket (CURL_POLL_*); must not call libcurl;
/// returns 0.
typedef int (*ccurl_socket_callback)(void *easy, int socket, int what, void *context, void *socketContext);
/// Called when the time-out changes, with -1 for none; must not call libcurl; returns 0.
typedef int (*ccurl_timer_callback)(void *multi, long milliseconds, void *context);

/// A node of a list, such as that of the header fields; the layout is that of `struct curl_slist`.
typedef struct ccurl_slist {
  char *data;
  struct ccurl_slist *next;
} ccurl_slist;

/// libcurl's functions, as found in the loaded library.
typedef struct ccurl_library {
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *easy);
  void (*easy_reset)(void *easy);
  int (*easy_setopt)(void *easy, int option, ...);
  int (*easy_getinfo)(void *easy, int info, ...);
  const char *(*easy_strerror)(int code);
  int (*easy_pause)(void *easy, int what);
  void *(*multi_init)(void);
  int (*multi_cleanup)(void *multi);
  int (*multi_setopt)(void *multi, int option, ...);
  int (*multi_add_handle)(void *multi, void *easy);
  int (*multi_remove_handle)(void *multi, void *easy);
  int (*multi_socket_action)(void *multi, int socket, int readiness, int *running);
  void *(*multi_info_read)(void *multi, int *remaining);
  void *(*url_init)(void);
  int (*url_set)(void *url, int part, const char *text, unsigned flags);
  void (*url_cleanup)(void *url);
  char *(*version)(void);
  int (*global_init)(long flags);
  /// OpenSSL's functions of these names; NULL if libcurl uses another TLS library.
  long (*tls_control)(void *tls, int command, long number, void *pointer);
  uint64_t (*tls_clear_options)(void *tls, uint64_t options);
  int (*tls_get_shutdown)(const void *tls);
  void (*tls_get0_alpn_selected)(const void *tls, const unsigned char **name, unsigned *length);
  const char *(*tls_get_version)(const void *tls);
} ccurl_library;

/// A version of libcurl.
typedef struct ccurl_version {
  int major;
  int minor;
} ccurl_version;

/// Loads the first of `names` that can be opened, finds every function and initialises the library.
///
/// Returns the filled table, or NULL with the reason in `error`, for example if the version is older than
/// `floor`.
const ccurl_library *ccurl_load(
    const char *const *names, size_t count, ccurl_version floor, char *error, size_t capacity);

/// The number of forks between this process and the one that first loaded a library.
unsigned ccurl_fork_count(void);

/// Registers the one function to call when this process exits, but not when a process exits that was forked
/// from it and has not called this itself.
void ccurl_at_exit(void (*handler)(void));

/// Frees a table. The library stays loaded, because its own threads may still run.
void ccurl_release(const ccurl_library *curl);

// Options of an easy handle (CURLOPT_*).
enum {
  CCURLOPT_READDATA = 10009,
  CCURLOPT_WRITEDATA = 10001,
  CCURLOPT_URL = 10002,
  CCURLOPT_PROXY = 10004,
  CCURLOPT_USERAGENT = 10018,
  CCURLOPT_HEADER = 42,
  CCURLOPT_VERBOSE = 41,
  CCURLOPT_ERRORBUFFER = 10010,
  CCURLOPT_WRITEFUNCTION = 20011,
  CCURLOPT_READFUNCTION = 20012,
  CCURLOPT_POSTFIELDS = 10015,
  CCURLOPT_HTTPHEADER = 10023,
  CCURLOPT_HEADERDATA = 10029,
  CCURLOPT_CUSTOMREQUEST = 10036,
  CCURLOPT_NOPROGRESS = 43,
  CCURLOPT_NOBODY = 44,
  CCURLOPT_POST = 47,
  CCURLOPT_XFERINFODATA = 10057,
  CCURLOPT_FRESH_CONNECT = 74,
  CCURLOPT_HEADERFUNCTION = 20079,
  CCURLOPT_HTTPGET = 80,
  CCURLOPT_HTTP_VERSION = 84,
  CCURLOPT_BUFFERSIZE = 98,
  CCURLOPT_NOSIGNAL = 99,
  CCURLOPT_HTTP_CONTENT_DECODING = 158,
  CCURLOPT_PRIVATE = 10103,
  CCURLOPT_POSTFIELDSIZE_LARGE = 30120,
  CCURLOPT_MAX_RECV_SPEED_LARGE = 30146,
  CCURLOPT_CONNECTTIMEOUT_MS = 156,
  CCURLOPT_SEEKFUNCTION = 20167,
  CCURLOPT_SEEKDATA = 10168,
  CCURLOPT_PROTOCOLS = 181,
  CCURLOPT_RTSP_REQUEST = 189,
  CCURLOPT_TCP_KEEPALIVE = 213,
  CCURLOPT_XFERINFOFUNCTION = 20219,
  CCURLOPT_PIPEWAIT = 237,
  CCURLOPT_CURLU = 10282,
  CCURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
  CCURLOPT_SOCKS5_AUTH = 267,
  CCURLOPT_PREREQFUNCTION = 20312,
  CCURLOPT_PREREQDATA = 10313,
  CCURLOPT_PROTOCOLS_STR = 10318,
  CCURLOPT_QUICK_EXIT = 322,
};

// Values of options.
enum {
  CCURL_HTTP_VERSION_1_1 = 2,
  CCURL_HTTP_VERSION_2TLS = 4,
  CCURL_PROTOCOLS_HTTP_AND_HTTPS = 3,
  CCURL_ERROR_SIZE = 256,
  CCURL_RTSPREQ_RECEIVE = 11,
  CCURL_WRITEFUNC_PAUSE = 0x10000001,
  CCURL_READFUNC_ABORT = 0x10000000,
  CCURL_READFUNC_PAUSE = 0x10000001,
};

// Information about an easy handle (CURLINFO_*).
enum {
  CCURLINFO_RESPONSE_CODE = 0x200002,
  CCURLINFO_SIZE_UPLOAD_T = 0x600007,
  CCURLINFO_SIZE_DOWNLOAD_T = 0x600008,
  CCURLINFO_REQUEST_SIZE = 0x20000C,
  CCURLINFO_PRIVATE = 0x100015,
};

// Options of a multi handle (CURLMOPT_*).
enum {
  CCURLMOPT_MAXCONNECTS = 6,
  CCURLMOPT_MAX_TOTAL_CONNECTIONS = 13,
  CCURLMOPT_SOCKETDATA = 10002,
  CCURLMOPT_SOCKETFUNCTION = 20001,
  CCURLMOPT_TIMERDATA = 10005,
  CCURLMOPT_TIMERFUNCTION = 20004,
};

// Parts of a parsed URL (CURLUPART_*).
enum {
  CCURLUPART_URL = 0,
};

// Arguments of a socket callback and of curl_multi_socket_action.
enum {
  CCURL_POLL_REMOVE = 4,
  CCURL_SOCKET_TIMEOUT = -1,
};

// The kind of debug data (curl_infotype) that is text.
enum {
  CCURLINFO_TEXT = 0,
};

// Results of a transfer (CURLcode).
enum {
  CCURLE_OK = 0,
  CCURLE_UNSUPPORTED_PROTOCOL = 1,
  CCURLE_FAILED_INIT = 2,
  CCURLE_URL_MALFORMAT = 3,
  CCURLE_COULDNT_RESOLVE_PROXY = 5,
  CCURLE_COULDNT_RESOLVE_HOST = 6,
  CCURLE_COULDNT_CONNECT = 7,
  CCURLE_WEIRD_SERVER_REPLY = 8,
  CCURLE_HTTP2 = 16,
  CCURLE_PARTIAL_FILE = 18,
  CCURLE_WRITE_ERROR = 23,
  CCURLE_OUT_OF_MEMORY = 27,
  CCURLE_OPERATION_TIMEDOUT = 28,
  CCURLE_SSL_CONNECT_ERROR = 35,
  CCURLE_ABORTED_BY_CALLBACK = 42,
  CCURLE_BAD_FUNCTION_ARGUMENT = 43,
  CCURLE_GOT_NOTHING = 52,
  CCURLE_SSL_ENGINE_NOTFOUND = 53,
  CCURLE_SSL_ENGINE_SETFAILED = 54,
  CCURLE_SEND_ERROR = 55,
  CCURLE_RECV_ERROR = 56,
  CCURLE_SSL_CERTPROBLEM = 58,
  CCURLE_SSL_CIPHER = 59,
  CCURLE_PEER_FAILED_VERIFICATION = 60,
  CCURLE_BAD_CONTENT_ENCODING = 61,
  CCURLE_USE_SSL_FAILED = 64,
  CCURLE_SEND_FAIL_REWIND = 65,
  CCURLE_SSL_ENGINE_INITFAILED = 66,
  CCURLE_SSL_CACERT_BADFILE = 77,
  CCURLE_SSL_SHUTDOWN_FAILED = 80,
  CCURLE_AGAIN = 81,
  CCURLE_SSL_CRL_BADFILE = 82,
  CCURLE_SSL_ISSUER_ERROR = 83,
  CCURLE_SSL_PINNEDPUBKEYNOTMATCH = 90,
  CCURLE_SSL_INVALIDCERTSTATUS = 91,
  CCURLE_HTTP2_STREAM = 92,
  CCURLE_AUTH_ERROR = 94,
  CCURLE_HTTP3 = 95,
  CCURLE_QUIC_CONNECT_ERROR = 96,
  CCURLE_PROXY = 97,
  CCURLE_SSL_CLIENTCERT = 98,
  // Available from 8.6 and 8.8 on.
  CCURLE_TOO_LARGE = 100,
  CCURLE_ECH_REQUIRED = 101,
};

static inline long ccurl_setopt_long(const ccurl_library *curl, void *easy, long option, long value) {
  return curl->easy_setopt(easy, (int)option, value);
}

static inline long ccurl_setopt_offset(const ccurl_library *curl, void *easy, long option, int64_t value) {
  return curl->easy_setopt(easy, (int)option, value);
}

/// libcurl copies the string.
static inline long ccurl_setopt_string(
    const ccurl_library *curl, void *easy, long option, const char *value) {
  return curl->easy_setopt(easy, (int)option, value);
}

/// libcurl keeps the pointer.
static inline long ccurl_setopt_pointer(const ccurl_library *curl, void *easy, long option, void *value) {
  return curl->easy_setopt(easy, (int)option, value);
}

static inline long ccurl_setopt_blob(
    const ccurl_library *curl, void *easy, long option, const ccurl_blob *value) {
  return curl->easy_setopt(easy, (int)option, value);
}

static inline long ccurl_setopt_write(
    const ccurl_library *curl, void *easy, long option, ccurl_write_callback callback) {
  return curl->easy_setopt(easy, (int)option, callback);
}

static inline long ccurl_setopt_read(
    const ccurl_library *curl, void *easy, long option, ccurl_read_callback callback) {
  return curl->easy_setopt(easy, (int)option, callback);
}

static inline long ccurl_setopt_seek(
    const ccurl_library *curl, void *easy, long option, ccurl_seek_callback callback) {
  return curl->easy_setopt(easy, (int)option, callback);
}

static inline long ccurl_setopt_progress(
    const ccurl_library *curl, void *easy, long option, ccurl_progress_callback callback) {
  return curl->easy_setopt(easy, (int)option, callback);
}

static inline long ccurl_setopt_prerequest(
    const ccurl_library *curl, void *easy, long option, ccurl_prerequest_callback callback) {
  return curl->easy_setopt(easy, (int)option, callback);
}

/// Makes libcurl call `note` with its log of a transfer, and with other debug data, which may be of any
/// length.
static inline long ccurl_setopt_debug(
    const ccurl_library *curl, void *easy, ccurl_debug_callback note, void *context) {
  enum { DEBUGFUNCTION = 20094, DEBUGDATA = 10095 };
  curl->easy_setopt(easy, DEBUGDATA, context);
  return curl->easy_setopt(easy, DEBUGFUNCTION, note);
}

/// Makes libcurl call `open` to open sockets.
static inline long ccurl_setopt_open_socket(
    const ccurl_library *curl, void *easy, ccurl_open_socket_callback open, void *context) {
  enum { OPENSOCKETFUNCTION = 20163, OPENSOCKETDATA = 10164 };
  curl->easy_setopt(easy, OPENSOCKETDATA, context);
  return curl->easy_setopt(easy, OPENSOCKETFUNCTION, open);
}

/// Makes libcurl call `close` to close the sockets that the handle has opened, even after the handle is gone.
static inline long ccurl_setopt_close_socket(
    const ccurl_library *curl, void *easy, ccurl_close_socket_callback close, void *context) {
  enum { CLOSESOCKETFUNCTION = 20208, CLOSESOCKETDATA = 10209 };
  curl->easy_setopt(easy, CLOSESOCKETDATA, context);
  return curl->easy_setopt(easy, CLOSESOCKETFUNCTION, close);
}

/// Changes two settings that libcurl makes for OpenSSL (3 or newer).
///
/// - Clears `SSL_OP_IGNORE_UNEXPECTED_EOF`, so that a truncated connection can be distinguished from one that
///   was closed with `close_notify`.
/// - Disables `SSL_CTX_set_read_ahead`. libcurl (8.16 to 8.23) stops reading an HTTP/2 connection when the
///   stream of the transfer that reads it ends. If OpenSSL has read ahead, the records of other streams stay
///   in its buffer, and the socket reports no event for them: those transfers stall until other data arrives
///   over the connection.
void ccurl_setopt_tls(const ccurl_library *curl, void *easy);

/// Whether a secure connection has ended with a `close_notify`, as far as known (`CURLINFO_TLS_SSL_PTR`).
typedef enum { CCURL_CLOSE_NOTIFY_UNKNOWN, CCURL_CLOSE_NOTIFY_MISSING, CCURL_CLOSE_NOTIFY_RECEIVED } ccurl_close_notify;

/// Whether the other side has announced that it sends no more (`close_notify`); unknown without a connection
/// or without OpenSSL.
ccurl_close_notify ccurl_close_notify_state(const ccurl_library *curl, void *easy);

/// Whether a transfer's secure connection has agreed on HTTP/2 (ALPN); unknown without a connection or
/// without OpenSSL.
typedef enum { CCURL_ALPN_UNKNOWN, CCURL_ALPN_OTHER, CCURL_ALPN_HTTP2 } ccurl_alpn;

ccurl_alpn ccurl_alpn_protocol(const ccurl_library *curl, void *easy);

/// Returns the version of TLS of a transfer's secure connection, such as `TLSv1.3`; a constant string, or
/// NULL without a connection or without OpenSSL.
const char *ccurl_tls_version(const ccurl_library *curl, void *easy);

static inline long ccurl_getinfo_long(const ccurl_library *curl, void *easy, long info) {
  long value = 0;
  curl->easy_getinfo(easy, (int)info, &value);
  return value;
}

static inline int64_t ccurl_getinfo_offset(const ccurl_library *curl, void *easy, long info) {
  int64_t value = 0;
  curl->easy_getinfo(easy, (int)info, &value);
  return value;
}

/// Returns a string that belongs to the handle and is valid until its next transfer.
static inline const char *ccurl_getinfo_string(const ccurl_library *curl, void *easy, long info) {
  const char *value = NULL;
  curl->easy_getinfo(easy, (int)info, &value);
  return value;
}

static inline void *ccurl_getinfo_pointer(const ccurl_library *curl, void *easy, long info) {
  void *value = NULL;
  curl->easy_getinfo(easy, (int)info, &value);
  return value;
}

static inline long ccurl_multi_setopt_long(
    const ccurl_library *curl, void *multi, long option, long value) {
  return curl->multi_setopt(multi, (int)option, value);
}

/// libcurl keeps the pointer.
static inline long ccurl_multi_setopt_pointer(
    const ccurl_library *curl, void *multi, long option, void *value) {
  return curl->multi_setopt(multi, (int)option, value);
}

static inline long ccurl_multi_setopt_socket(
    const ccurl_library *curl, void *multi, long option, ccurl_socket_callback callback) {
  return curl->multi_setopt(multi, (int)option, callback);
}

static inline long ccurl_multi_setopt_timer(
    const ccurl_library *curl, void *multi, long option, ccurl_timer_callback callback) {
  return curl->multi_setopt(multi, (int)option, callback);
}

/// Reads all metrics of the handle's last transfer in one call.
ccurl_metrics ccurl_read_metrics(const ccurl_library *curl, void *easy);

/// Returns the next easy handle whose transfer has ended, with its result in `code`; NULL if there is none.
void *ccurl_multi_next_done(const ccurl_library *curl, void *multi, long *code);

#endif
