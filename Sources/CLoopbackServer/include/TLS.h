#ifndef CLOOPBACKSERVER_TLS_H
#define CLOOPBACKSERVER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The settings of all connections of a server.
typedef struct cloopback_tls cloopback_tls;

/// The TLS of one connection.
typedef struct cloopback_session cloopback_session;

typedef struct cloopback_tls_settings {
  /// The server's certificate, then those of its issuers, and the key; in PEM.
  const char *certificates, *key;
  /// The authorities of the certificate that each client must have, in PEM; NULL if clients need none.
  const char *clientAuthorities;
  /// The oldest and the newest version, as TLS numbers them, such as 0x0304.
  int oldestVersion, newestVersion;
  /// The cipher suites up to TLS 1.2, in OpenSSL's notation; NULL for OpenSSL's choice.
  const char *ciphers;
  /// The application protocols in the order of preference, each after its length.
  const uint8_t *protocols;
  size_t protocolCount;
  /// The OCSP response to hand out; NULL for none.
  const uint8_t *status;
  size_t statusCount;
  /// Whether clients may send before the end of the handshake.
  bool acceptsEarlyData;
} cloopback_tls_settings;

/// Makes the settings; NULL with the reason in `error` if that fails. `cloopback_tls_free` frees them.
cloopback_tls *cloopback_tls_make(const cloopback_tls_settings *settings, char *error, size_t capacity);

void cloopback_tls_free(cloopback_tls *tls);

/// What `cloopback_session_receive` and `cloopback_session_send` return instead of a count.
enum {
  CLOOPBACK_END = 0,
  CLOOPBACK_BLOCKED = -1,
  CLOOPBACK_FAILED = -2,
};

/// Makes the session of a socket, which the caller closes after `cloopback_session_free`. The settings must
/// outlive the session.
///
/// One thread at a time may use a session.
cloopback_session *cloopback_session_make(const cloopback_tls *tls, int socket);
void cloopback_session_free(cloopback_session *session);

/// Receives bytes, after the handshake; returns their number or one of the values above.
long cloopback_session_receive(cloopback_session *session, void *bytes, size_t count);
long cloopback_session_send(cloopback_session *session, const void *bytes, size_t count);

/// What the last call that was blocked waits for; 0 if it was not blocked.
enum {
  CLOOPBACK_WAITS_FOR_INPUT = 1,
  CLOOPBACK_WAITS_FOR_OUTPUT = 2,
};
int cloopback_session_wait(const cloopback_session *session);

/// Sends `close_notify`.
void cloopback_session_end(cloopback_session *session);

/// Do what a server may do at any moment, unless the version of TLS does not have it: TLS 1.3 has no
/// renegotiation, and TLS 1.2 neither of the others.
void cloopback_session_renegotiate(cloopback_session *session);
void cloopback_session_update_keys(cloopback_session *session);
void cloopback_session_send_ticket(cloopback_session *session);

bool cloopback_session_is_established(const cloopback_session *session);
bool cloopback_session_has_early_data(const cloopback_session *session);
bool cloopback_session_is_resumed(const cloopback_session *session);

/// Returns OpenSSL's text for the error that ended the session, or NULL.
const char *cloopback_session_error(const cloopback_session *session);
const char *cloopback_session_version(const cloopback_session *session);

/// Returns the name of the cipher suite, for TLS up to 1.2 in OpenSSL's notation.
const char *cloopback_session_cipher(const cloopback_session *session);

/// Returns the name that the client asked for, or NULL.
const char *cloopback_session_server_name(const cloopback_session *session);

/// Writes the selected application protocol, or the subject of the client's certificate; empty if there is
/// none.
void cloopback_session_protocol(const cloopback_session *session, char *text, size_t capacity);
void cloopback_session_client(const cloopback_session *session, char *text, size_t capacity);

#endif
