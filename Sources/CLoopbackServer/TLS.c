#include "TLS.h"

#include "OpenSSL.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct cloopback_tls {
  void *context;
  uint8_t *protocols;
  unsigned protocolCount;
  uint8_t *status;
  size_t statusCount;
  bool acceptsEarlyData;
};

struct cloopback_session {
  void *session;
  int socket;
  int wait;
  // Whether early data may follow, and whether some has arrived.
  bool expectsEarlyData, hasEarlyData;
  char error[120];
};

static uint8_t *copy(const uint8_t *bytes, size_t count) {
  uint8_t *copied = count ? malloc(count) : NULL;
  if (copied) memcpy(copied, bytes, count);
  return copied;
}

// MARK: - The settings

static int select_protocol(
    void *session, const unsigned char **name, unsigned char *count, const unsigned char *offered, unsigned offeredCount,
    void *argument) {
  enum { SELECTED = 1, ACCEPT = 0, NO_ANSWER = 3 };
  (void)session;
  const cloopback_tls *tls = argument;
  int result = ssl.SSL_select_next_proto(
      (unsigned char **)name, count, tls->protocols, tls->protocolCount, offered, offeredCount);
  return result == SELECTED ? ACCEPT : NO_ANSWER;
}

static int hand_out_status(void *session, void *argument) {
  enum { SET_RESPONSE = 71, SENT = 0, NONE = 3 };
  const cloopback_tls *tls = argument;
  // OpenSSL frees the copy.
  void *bytes = ssl.CRYPTO_memdup(tls->status, tls->statusCount, __FILE__, __LINE__);
  return bytes && ssl.SSL_ctrl(session, SET_RESPONSE, (long)tls->statusCount, bytes) == 1 ? SENT : NONE;
}

static bool use_certificates(void *context, const char *pem) {
  enum { ADD_TO_CHAIN = 14 };
  void *bio = ssl.BIO_new_mem_buf(pem, -1);
  void *certificate = cloopback_read_certificate(bio);
  bool isUsed = certificate && ssl.SSL_CTX_use_certificate(context, certificate) == 1;
  ssl.X509_free(certificate);
  while (isUsed && (certificate = cloopback_read_certificate(bio))) {
    // The context owns what it has added.
    isUsed = ssl.SSL_CTX_ctrl(context, ADD_TO_CHAIN, 0, certificate) == 1;
    if (!isUsed) ssl.X509_free(certificate);
  }
  ssl.BIO_free(bio);
  return isUsed;
}

static bool use_key(void *context, const char *pem) {
  void *key = cloopback_key(pem);
  bool isUsed = key && ssl.SSL_CTX_use_PrivateKey(context, key) == 1 && ssl.SSL_CTX_check_private_key(context) == 1;
  ssl.EVP_PKEY_free(key);
  return isUsed;
}

static bool demand_client_certificate(void *context, const char *authorities) {
  enum { VERIFY_PEER = 1, FAIL_WITHOUT = 2 };
  if (!authorities) return true;
  ssl.SSL_CTX_set_verify(context, VERIFY_PEER | FAIL_WITHOUT, NULL);
  void *bio = ssl.BIO_new_mem_buf(authorities, -1), *authority;
  int count = 0;
  while ((authority = cloopback_read_certificate(bio))) {
    count += ssl.X509_STORE_add_cert(ssl.SSL_CTX_get_cert_store(context), authority) &&
             ssl.SSL_CTX_add_client_CA(context, authority);
    ssl.X509_free(authority);
  }
  ssl.BIO_free(bio);
  return count > 0;
}

static bool set_versions(void *context, const cloopback_tls_settings *settings) {
  enum { SET_OLDEST = 123, SET_NEWEST = 124, TLS_1_2 = 0x0303 };
  // Otherwise OpenSSL takes the signatures of TLS 1.0 and 1.1 for too weak.
  const char *all = settings->oldestVersion < TLS_1_2 ? "DEFAULT:@SECLEVEL=0" : NULL;
  const char *ciphers = settings->ciphers ? settings->ciphers : all;
  return ssl.SSL_CTX_ctrl(context, SET_OLDEST, settings->oldestVersion, NULL) == 1 &&
         ssl.SSL_CTX_ctrl(context, SET_NEWEST, settings->newestVersion, NULL) == 1 &&
         (!ciphers || ssl.SSL_CTX_set_cipher_list(context, ciphers) == 1);
}

static void set_callbacks(const cloopback_tls *tls) {
  enum { STATUS_CALLBACK = 63, STATUS_ARGUMENT = 64 };
  if (tls->protocolCount) ssl.SSL_CTX_set_alpn_select_cb(tls->context, select_protocol, (void *)tls);
  if (!tls->statusCount) return;
  ssl.SSL_CTX_callback_ctrl(tls->context, STATUS_CALLBACK, (void (*)(void))hand_out_status);
  ssl.SSL_CTX_ctrl(tls->context, STATUS_ARGUMENT, 0, (void *)tls);
}

static bool apply(const cloopback_tls_settings *settings, void *context, char *error, size_t capacity) {
  enum { MODE = 33, PARTIAL_WRITE = 1, MOVING_BUFFER = 2 };
  if (!use_certificates(context, settings->certificates))
    return cloopback_openssl_failed("the certificates", error, capacity);
  if (!use_key(context, settings->key)) return cloopback_openssl_failed("the key", error, capacity);
  if (!set_versions(context, settings)) return cloopback_openssl_failed("the versions and ciphers", error, capacity);
  if (!demand_client_certificate(context, settings->clientAuthorities))
    return cloopback_openssl_failed("the authorities of client certificates", error, capacity);
  ssl.SSL_CTX_ctrl(context, MODE, PARTIAL_WRITE | MOVING_BUFFER, NULL);
  if (settings->acceptsEarlyData) ssl.SSL_CTX_set_max_early_data(context, 1 << 14);
  // Without it, the session of a client that has shown a certificate cannot be resumed.
  ssl.SSL_CTX_set_session_id_context(context, (const unsigned char *)"loopback", 8);
  return true;
}

cloopback_tls *cloopback_tls_make(const cloopback_tls_settings *settings, char *error, size_t capacity) {
  cloopback_tls *tls = cloopback_openssl_load(error, capacity) ? calloc(1, sizeof *tls) : NULL;
  if (!tls) return NULL;
  tls->context = ssl.SSL_CTX_new(ssl.TLS_server_method());
  tls->protocols = copy(settings->protocols, settings->protocolCount);
  tls->protocolCount = (unsigned)settings->protocolCount;
  tls->status = copy(settings->status, settings->statusCount);
  tls->statusCount = settings->statusCount;
  tls->acceptsEarlyData = settings->acceptsEarlyData;
  if (!tls->context) {
    cloopback_openssl_failed("the settings of TLS", error, capacity);
  } else if (apply(settings, tls->context, error, capacity)) {
    set_callbacks(tls);
    return tls;
  }
  cloopback_tls_free(tls);
  return NULL;
}

void cloopback_tls_free(cloopback_tls *tls) {
  ssl.SSL_CTX_free(tls->context);
  free(tls->protocols);
  free(tls->status);
  free(tls);
}

// MARK: - The socket as OpenSSL sees it

// OpenSSL's own BIO for sockets lets SIGPIPE end the process when the peer has closed.

enum { BIO_READS = 1, BIO_WRITES = 2, BIO_RETRIES = 8 };

static int finish(void *bio, ssize_t count, int direction) {
  ssl.BIO_clear_flags(bio, BIO_READS | BIO_WRITES | BIO_RETRIES);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    ssl.BIO_set_flags(bio, direction | BIO_RETRIES);
  return (int)count;
}

static int write_bytes(void *bio, const char *bytes, int count) {
#ifdef MSG_NOSIGNAL
  enum { FLAGS = MSG_NOSIGNAL };
#else
  enum { FLAGS = 0 };
#endif
  const cloopback_session *session = ssl.BIO_get_data(bio);
  return finish(bio, send(session->socket, bytes, (size_t)count, FLAGS), BIO_WRITES);
}

static int read_bytes(void *bio, char *bytes, int count) {
  const cloopback_session *session = ssl.BIO_get_data(bio);
  return finish(bio, recv(session->socket, bytes, (size_t)count, 0), BIO_READS);
}

static long control(void *bio, int command, long number, void *pointer) {
  enum { FLUSH = 11 };
  (void)bio, (void)number, (void)pointer;
  return command == FLUSH;
}

static void *socket_method;

static void make_socket_method(void) {
  enum { SOURCE_AND_SINK = 0x0400 };
  socket_method = ssl.BIO_meth_new(SOURCE_AND_SINK, "socket");
  ssl.BIO_meth_set_write(socket_method, write_bytes);
  ssl.BIO_meth_set_read(socket_method, read_bytes);
  ssl.BIO_meth_set_ctrl(socket_method, control);
}

static void *make_socket_bio(cloopback_session *session) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_socket_method);
  void *bio = ssl.BIO_new(socket_method);
  if (!bio) return NULL;
  ssl.BIO_set_data(bio, session);
  ssl.BIO_set_init(bio, 1);
  return bio;
}

// MARK: - A session

cloopback_session *cloopback_session_make(const cloopback_tls *tls, int socket) {
  cloopback_session *session = calloc(1, sizeof *session);
  if (!session) return NULL;
  session->socket = socket;
  session->expectsEarlyData = tls->acceptsEarlyData;
  session->session = ssl.SSL_new(tls->context);
  void *bio = make_socket_bio(session);
  if (!session->session || !bio) {
    ssl.SSL_free(session->session);
    ssl.BIO_free(bio);
    free(session);
    return NULL;
  }
  // The session owns the BIO.
  ssl.SSL_set_bio(session->session, bio, bio);
  ssl.SSL_set_accept_state(session->session);
  return session;
}

void cloopback_session_free(cloopback_session *session) {
  ssl.SSL_free(session->session);
  free(session);
}

static int limited(size_t count) { return count > INT_MAX ? INT_MAX : (int)count; }

// Returns what the caller of a function that returned `result` is told.
static long outcome(cloopback_session *session, int result) {
  enum { NONE = 0, WANTS_INPUT = 2, WANTS_OUTPUT = 3, CLOSED = 6 };
  int error = ssl.SSL_get_error(session->session, result);
  session->wait = error == WANTS_INPUT ? CLOOPBACK_WAITS_FOR_INPUT : error == WANTS_OUTPUT ? CLOOPBACK_WAITS_FOR_OUTPUT : 0;
  if (error == NONE) return result;
  if (session->wait) return CLOOPBACK_BLOCKED;
  if (error == CLOSED) return CLOOPBACK_END;
  const char *reason = ssl.ERR_reason_error_string(ssl.ERR_get_error());
  if (!*session->error) snprintf(session->error, sizeof session->error, "%s", reason ? reason : "the client has closed the connection");
  return CLOOPBACK_FAILED;
}

// Returns the early data (RFC 8446, section 2.3), and 0 after its end.
static long receive_early(cloopback_session *session, void *bytes, size_t count) {
  enum { FAILURE = 0, FINISH = 2 };
  size_t received = 0;
  int result = ssl.SSL_read_early_data(session->session, bytes, count, &received);
  if (result == FAILURE) return outcome(session, 0);
  session->expectsEarlyData = result != FINISH;
  if (received) session->hasEarlyData = true;
  return (long)received;
}

long cloopback_session_receive(cloopback_session *session, void *bytes, size_t count) {
  ssl.ERR_clear_error();
  long early = session->expectsEarlyData ? receive_early(session, bytes, count) : 0;
  if (early || session->expectsEarlyData) return early;
  return outcome(session, ssl.SSL_read(session->session, bytes, limited(count)));
}

long cloopback_session_send(cloopback_session *session, const void *bytes, size_t count) {
  ssl.ERR_clear_error();
  if (session->expectsEarlyData) {
    session->wait = CLOOPBACK_WAITS_FOR_INPUT;
    return CLOOPBACK_BLOCKED;
  }
  return outcome(session, ssl.SSL_write(session->session, bytes, limited(count)));
}

int cloopback_session_wait(const cloopback_session *session) { return session->wait; }

void cloopback_session_end(cloopback_session *session) {
  ssl.ERR_clear_error();
  if (ssl.SSL_is_init_finished(session->session)) ssl.SSL_shutdown(session->session);
}

static bool is_newest_version(const cloopback_session *session) {
  return strcmp(cloopback_session_version(session), "TLSv1.3") == 0;
}

void cloopback_session_renegotiate(cloopback_session *session) {
  ssl.ERR_clear_error();
  if (!is_newest_version(session) && ssl.SSL_renegotiate(session->session) == 1) ssl.SSL_do_handshake(session->session);
}

void cloopback_session_update_keys(cloopback_session *session) {
  enum { REQUEST_UPDATE = 1 };
  ssl.ERR_clear_error();
  if (is_newest_version(session) && ssl.SSL_key_update(session->session, REQUEST_UPDATE) == 1)
    ssl.SSL_do_handshake(session->session);
}

void cloopback_session_send_ticket(cloopback_session *session) {
  ssl.ERR_clear_error();
  if (is_newest_version(session) && ssl.SSL_new_session_ticket(session->session) == 1)
    ssl.SSL_do_handshake(session->session);
}

bool cloopback_session_is_established(const cloopback_session *session) {
  return session->hasEarlyData || ssl.SSL_is_init_finished(session->session);
}

bool cloopback_session_has_early_data(const cloopback_session *session) { return session->hasEarlyData; }

const char *cloopback_session_error(const cloopback_session *session) { return *session->error ? session->error : NULL; }

const char *cloopback_session_version(const cloopback_session *session) { return ssl.SSL_get_version(session->session); }

const char *cloopback_session_cipher(const cloopback_session *session) {
  return ssl.SSL_CIPHER_get_name(ssl.SSL_get_current_cipher(session->session));
}

bool cloopback_session_is_resumed(const cloopback_session *session) { return ssl.SSL_session_reused(session->session); }

const char *cloopback_session_server_name(const cloopback_session *session) {
  enum { HOST_NAME = 0 };
  return ssl.SSL_get_servername(session->session, HOST_NAME);
}

void cloopback_session_protocol(const cloopback_session *session, char *text, size_t capacity) {
  const unsigned char *name = NULL;
  unsigned count = 0;
  ssl.SSL_get0_alpn_selected(session->session, &name, &count);
  snprintf(text, capacity, "%.*s", (int)count, name ? (const char *)name : "");
}

void cloopback_session_client(const cloopback_session *session, char *text, size_t capacity) {
  void *certificate = ssl.SSL_get1_peer_certificate(session->session);
  *text = 0;
  if (!certificate) return;
  ssl.X509_NAME_oneline(ssl.X509_get_subject_name(certificate), text, (int)capacity);
  ssl.X509_free(certificate);
}
