#include "Certificates.h"

#include "OpenSSL.h"

#include <stdlib.h>
#include <string.h>

// NID_* of OpenSSL.
enum {
  SUBJECT_KEY_IDENTIFIER = 82,
  KEY_USAGE = 83,
  SUBJECT_ALT_NAME = 85,
  BASIC_CONSTRAINTS = 87,
  AUTHORITY_KEY_IDENTIFIER = 90,
  EXTENDED_KEY_USAGE = 126,
};

// Returns what was written to a BIO as text, which the caller frees.
static char *take_text(void *bio) {
  enum { CONTROL_INFO = 3 };
  char *bytes = NULL;
  long count = ssl.BIO_ctrl(bio, CONTROL_INFO, 0, &bytes);
  char *text = count < 0 ? NULL : malloc((size_t)count + 1);
  if (text && count) memcpy(text, bytes, (size_t)count);
  if (text) text[count] = 0;
  ssl.BIO_free(bio);
  return text;
}

static char *certificate_text(const void *certificate) {
  void *bio = ssl.BIO_new(ssl.BIO_s_mem());
  ssl.PEM_write_bio_X509(bio, certificate);
  return take_text(bio);
}

static char *key_text(const void *key) {
  void *bio = ssl.BIO_new(ssl.BIO_s_mem());
  ssl.PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
  return take_text(bio);
}

static bool add_extension(void *certificate, void *issuer, int kind, const char *value) {
  if (!value) return true;
  // X509V3_CTX has 8 members in OpenSSL 3.
  void *context[32] = {0};
  ssl.X509V3_set_ctx(context, issuer, certificate, NULL, NULL, 0);
  void *extension = ssl.X509V3_EXT_conf_nid(NULL, context, kind, value);
  if (!extension) return false;
  bool isAdded = ssl.X509_add_ext(certificate, extension, -1) == 1;
  ssl.X509_EXTENSION_free(extension);
  return isAdded;
}

static bool add_extensions(
    const cloopback_certificate_request *request, void *certificate, void *issuer) {
  const char *usage = request->isAuthority ? "critical,keyCertSign,cRLSign,digitalSignature" : "critical,digitalSignature";
  return add_extension(certificate, issuer, BASIC_CONSTRAINTS, request->isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
         add_extension(certificate, issuer, KEY_USAGE, usage) &&
         add_extension(certificate, issuer, EXTENDED_KEY_USAGE, request->isAuthority ? NULL : "serverAuth,clientAuth") &&
         add_extension(certificate, issuer, SUBJECT_ALT_NAME, request->alternativeNames) &&
         add_extension(certificate, issuer, SUBJECT_KEY_IDENTIFIER, "hash") &&
         add_extension(certificate, issuer, AUTHORITY_KEY_IDENTIFIER, "keyid:always");
}

static bool describe(
    const cloopback_certificate_request *request, void *certificate, void *key, void *issuer) {
  enum { VERSION_3 = 2, UTF8_TEXT = 0x1000 };
  uint64_t serial;
  if (ssl.RAND_bytes((unsigned char *)&serial, sizeof serial) != 1) return false;
  void *name = ssl.X509_get_subject_name(certificate);
  return ssl.X509_set_version(certificate, VERSION_3) &&
         ssl.ASN1_INTEGER_set_uint64(ssl.X509_get_serialNumber(certificate), serial >> 1 | 1) &&
         ssl.X509_gmtime_adj(ssl.X509_getm_notBefore(certificate), request->validFrom) &&
         ssl.X509_gmtime_adj(ssl.X509_getm_notAfter(certificate), request->validUntil) &&
         ssl.X509_set_pubkey(certificate, key) &&
         ssl.X509_NAME_add_entry_by_txt(name, "CN", UTF8_TEXT, (const unsigned char *)request->commonName, -1, -1, 0) &&
         ssl.X509_set_issuer_name(certificate, ssl.X509_get_subject_name(issuer)) &&
         add_extensions(request, certificate, issuer);
}

cloopback_identity cloopback_issue(
    const cloopback_certificate_request *request, const cloopback_identity *issuer, char *error, size_t capacity) {
  cloopback_identity identity = {0};
  if (!cloopback_openssl_load(error, capacity)) return identity;
  void *key = ssl.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  void *certificate = ssl.X509_new();
  void *signer = issuer ? cloopback_certificate(issuer->certificate) : certificate;
  void *signingKey = issuer ? cloopback_key(issuer->key) : key;
  if (key && certificate && signer && signingKey && describe(request, certificate, key, signer) &&
      ssl.X509_sign(certificate, signingKey, ssl.EVP_sha256())) {
    identity.certificate = certificate_text(certificate);
    identity.key = key_text(key);
  } else {
    cloopback_openssl_failed("the certificate", error, capacity);
  }
  if (issuer) {
    ssl.X509_free(signer);
    ssl.EVP_PKEY_free(signingKey);
  }
  ssl.X509_free(certificate);
  ssl.EVP_PKEY_free(key);
  return identity;
}

void cloopback_identity_free(cloopback_identity *identity) {
  free(identity->certificate);
  free(identity->key);
}

bool cloopback_key_hash(const char *certificate, uint8_t hash[32]) {
  char error[1];
  void *object = cloopback_openssl_load(error, sizeof error) ? cloopback_certificate(certificate) : NULL;
  if (!object) return false;
  uint8_t key[2048], *end = key;
  void *publicKey = ssl.X509_get0_pubkey(object);
  int count = publicKey ? ssl.i2d_PUBKEY(publicKey, NULL) : 0;
  bool isHashed = count > 0 && (size_t)count <= sizeof key && ssl.i2d_PUBKEY(publicKey, &end) == count &&
                  ssl.EVP_Digest(key, (size_t)count, hash, NULL, ssl.EVP_sha256(), NULL) == 1;
  ssl.X509_free(object);
  return isHashed;
}

// Returns the encoded response; the caller frees the bytes.
static size_t encode_status(
    void *certificate, void *issuer, void *key, bool isRevoked, uint8_t **response) {
  enum { NO_REASON = -1, DAY = 86400 };
  void *basic = ssl.OCSP_BASICRESP_new(), *id = ssl.OCSP_cert_to_id(ssl.EVP_sha1(), certificate, issuer);
  void *from = ssl.X509_gmtime_adj(NULL, -DAY), *until = ssl.X509_gmtime_adj(NULL, DAY);
  void *whole = NULL;
  if (ssl.OCSP_basic_add1_status(basic, id, isRevoked, NO_REASON, isRevoked ? from : NULL, from, until) &&
      ssl.OCSP_basic_sign(basic, issuer, key, ssl.EVP_sha256(), NULL, 0))
    whole = ssl.OCSP_response_create(0, basic);
  int count = whole ? ssl.i2d_OCSP_RESPONSE(whole, NULL) : 0;
  *response = count > 0 ? malloc((size_t)count) : NULL;
  uint8_t *end = *response;
  if (*response) ssl.i2d_OCSP_RESPONSE(whole, &end);
  ssl.OCSP_RESPONSE_free(whole);
  ssl.ASN1_TIME_free(from);
  ssl.ASN1_TIME_free(until);
  ssl.OCSP_CERTID_free(id);
  ssl.OCSP_BASICRESP_free(basic);
  return *response ? (size_t)count : 0;
}

size_t cloopback_status_response(
    const char *certificate, const cloopback_identity *issuer, bool isRevoked, uint8_t **response, char *error,
    size_t capacity) {
  if (!cloopback_openssl_load(error, capacity)) return 0;
  void *subject = cloopback_certificate(certificate), *signer = cloopback_certificate(issuer->certificate);
  void *key = cloopback_key(issuer->key);
  size_t count = subject && signer && key ? encode_status(subject, signer, key, isRevoked, response) : 0;
  if (!count) cloopback_openssl_failed("the status of the certificate", error, capacity);
  ssl.X509_free(subject);
  ssl.X509_free(signer);
  ssl.EVP_PKEY_free(key);
  return count;
}
