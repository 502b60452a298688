#ifndef CLOOPBACKSERVER_CERTIFICATES_H
#define CLOOPBACKSERVER_CERTIFICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A certificate and its key in PEM; `cloopback_identity_free` frees both.
typedef struct cloopback_identity {
  char *certificate;
  char *key;
} cloopback_identity;

typedef struct cloopback_certificate_request {
  const char *commonName;
  /// Such as `DNS:localhost,IP:127.0.0.1`; NULL for none.
  const char *alternativeNames;
  bool isAuthority;
  /// Seconds from now.
  long validFrom, validUntil;
} cloopback_certificate_request;

/// Makes a key and a certificate for it.
///
/// `issuer` signs the certificate; without one the certificate signs itself. If that fails, the reason is in
/// `error`, and both parts of the result are NULL.
cloopback_identity cloopback_issue(
    const cloopback_certificate_request *request, const cloopback_identity *issuer, char *error, size_t capacity);

void cloopback_identity_free(cloopback_identity *identity);

/// Writes the SHA-256 hash of the certificate's SubjectPublicKeyInfo; returns `false` if there is none.
bool cloopback_key_hash(const char *certificate, uint8_t hash[32]);

/// Makes an OCSP response about a certificate, signed by its issuer.
///
/// Returns its size, and in `response` the bytes, which the caller frees; 0 with the reason in `error` if that
/// fails.
size_t cloopback_status_response(
    const char *certificate, const cloopback_identity *issuer, bool isRevoked, uint8_t **response, char *error,
    size_t capacity);

#endif
