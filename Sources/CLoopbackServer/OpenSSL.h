// The functions of OpenSSL 3 that the server uses, as found in the loaded libraries.

#ifndef CLOOPBACKSERVER_OPENSSL_H
#define CLOOPBACKSERVER_OPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// Each row: the result, the name and the parameters of a function. Objects are `void *`, because their
// layouts are not public.
#define CRYPTO_FUNCTIONS(F) \
  F(unsigned long, ERR_get_error, (void)) \
  F(void, ERR_clear_error, (void)) \
  F(const char *, ERR_reason_error_string, (unsigned long code)) \
  F(void *, CRYPTO_memdup, (const void *bytes, size_t count, const char *file, int line)) \
  F(int, RAND_bytes, (unsigned char *bytes, int count)) \
  F(void *, EVP_PKEY_Q_keygen, (void *context, const char *properties, const char *type, ...)) \
  F(void, EVP_PKEY_free, (void *key)) \
  F(const void *, EVP_sha1, (void)) \
  F(const void *, EVP_sha256, (void)) \
  F(int, EVP_Digest, (const void *bytes, size_t count, unsigned char *hash, unsigned *size, const void *kind, void *engine)) \
  F(int, i2d_PUBKEY, (const void *key, unsigned char **output)) \
  F(void *, X509_new, (void)) \
  F(void, X509_free, (void *certificate)) \
  F(int, X509_set_version, (void *certificate, long version)) \
  F(void *, X509_get_serialNumber, (void *certificate)) \
  F(int, ASN1_INTEGER_set_uint64, (void *integer, uint64_t value)) \
  F(void *, X509_getm_notBefore, (const void *certificate)) \
  F(void *, X509_getm_notAfter, (const void *certificate)) \
  F(void *, X509_gmtime_adj, (void *time, long seconds)) \
  F(void, ASN1_TIME_free, (void *time)) \
  F(int, X509_set_pubkey, (void *certificate, void *key)) \
  F(void *, X509_get0_pubkey, (const void *certificate)) \
  F(void *, X509_get_subject_name, (const void *certificate)) \
  F(int, X509_set_issuer_name, (void *certificate, const void *name)) \
  F(int, X509_NAME_add_entry_by_txt, (void *name, const char *field, int type, const unsigned char *bytes, int count, int location, int set)) \
  F(char *, X509_NAME_oneline, (const void *name, char *text, int capacity)) \
  F(void, X509V3_set_ctx, (void *context, void *issuer, void *subject, void *request, void *list, int flags)) \
  F(void *, X509V3_EXT_conf_nid, (void *configuration, void *context, int kind, const char *value)) \
  F(int, X509_add_ext, (void *certificate, void *extension, int location)) \
  F(void, X509_EXTENSION_free, (void *extension)) \
  F(int, X509_sign, (void *certificate, void *key, const void *kind)) \
  F(int, X509_STORE_add_cert, (void *store, void *certificate)) \
  F(void *, BIO_new, (const void *method)) \
  F(const void *, BIO_s_mem, (void)) \
  F(void *, BIO_new_mem_buf, (const void *bytes, int count)) \
  F(long, BIO_ctrl, (void *bio, int command, long number, void *pointer)) \
  F(int, BIO_free, (void *bio)) \
  F(void *, BIO_meth_new, (int type, const char *name)) \
  F(int, BIO_meth_set_write, (void *method, int (*write)(void *, const char *, int))) \
  F(int, BIO_meth_set_read, (void *method, int (*read)(void *, char *, int))) \
  F(int, BIO_meth_set_ctrl, (void *method, long (*control)(void *, int, long, void *))) \
  F(void, BIO_set_data, (void *bio, void *data)) \
  F(void *, BIO_get_data, (void *bio)) \
  F(void, BIO_set_init, (void *bio, int value)) \
  F(void, BIO_set_flags, (void *bio, int flags)) \
  F(void, BIO_clear_flags, (void *bio, int flags)) \
  F(int, PEM_write_bio_X509, (void *bio, const void *certificate)) \
  F(int, PEM_write_bio_PrivateKey, (void *bio, const void *key, const void *cipher, const unsigned char *password, int count, void *callback, void *context)) \
  F(void *, PEM_read_bio_X509, (void *bio, void **certificate, void *callback, void *context)) \
  F(void *, PEM_read_bio_PrivateKey, (void *bio, void **key, void *callback, void *context)) \
  F(void *, OCSP_cert_to_id, (const void *kind, const void *subject, const void *issuer)) \
  F(void, OCSP_CERTID_free, (void *id)) \
  F(void *, OCSP_BASICRESP_new, (void)) \
  F(void, OCSP_BASICRESP_free, (void *response)) \
  F(void *, OCSP_basic_add1_status, (void *response, void *id, int status, int reason, void *revoked, void *from, void *until)) \
  F(int, OCSP_basic_sign, (void *response, void *signer, void *key, const void *kind, void *certificates, unsigned long flags)) \
  F(void *, OCSP_response_create, (int status, void *response)) \
  F(void, OCSP_RESPONSE_free, (void *response)) \
  F(int, i2d_OCSP_RESPONSE, (const void *response, unsigned char **output))

#define TLS_FUNCTIONS(F) \
  F(const void *, TLS_server_method, (void)) \
  F(void *, SSL_CTX_new, (const void *method)) \
  F(void, SSL_CTX_free, (void *context)) \
  F(long, SSL_CTX_ctrl, (void *context, int command, long number, void *pointer)) \
  F(long, SSL_CTX_callback_ctrl, (void *context, int command, void (*callback)(void))) \
  F(int, SSL_CTX_use_certificate, (void *context, void *certificate)) \
  F(int, SSL_CTX_use_PrivateKey, (void *context, void *key)) \
  F(int, SSL_CTX_check_private_key, (const void *context)) \
  F(int, SSL_CTX_set_cipher_list, (void *context, const char *list)) \
  F(int, SSL_CTX_set_session_id_context, (void *context, const unsigned char *bytes, unsigned count)) \
  F(int, SSL_CTX_set_max_early_data, (void *context, uint32_t count)) \
  F(void, SSL_CTX_set_verify, (void *context, int mode, void *callback)) \
  F(void *, SSL_CTX_get_cert_store, (const void *context)) \
  F(int, SSL_CTX_add_client_CA, (void *context, void *certificate)) \
  F(void, SSL_CTX_set_alpn_select_cb, (void *context, int (*select)(void *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *), void *argument)) \
  F(int, SSL_select_next_proto, (unsigned char **output, unsigned char *count, const unsigned char *server, unsigned serverCount, const unsigned char *client, unsigned clientCount)) \
  F(void *, SSL_new, (void *context)) \
  F(void, SSL_free, (void *session)) \
  F(long, SSL_ctrl, (void *session, int command, long number, void *pointer)) \
  F(void, SSL_set_bio, (void *session, void *reading, void *writing)) \
  F(void, SSL_set_accept_state, (void *session)) \
  F(int, SSL_is_init_finished, (const void *session)) \
  F(int, SSL_session_reused, (const void *session)) \
  F(int, SSL_read_early_data, (void *session, void *bytes, size_t count, size_t *read)) \
  F(int, SSL_read, (void *session, void *bytes, int count)) \
  F(int, SSL_write, (void *session, const void *bytes, int count)) \
  F(int, SSL_get_error, (const void *session, int result)) \
  F(int, SSL_shutdown, (void *session)) \
  F(int, SSL_do_handshake, (void *session)) \
  F(int, SSL_renegotiate, (void *session)) \
  F(int, SSL_key_update, (void *session, int kind)) \
  F(int, SSL_new_session_ticket, (void *session)) \
  F(const char *, SSL_get_version, (const void *session)) \
  F(const void *, SSL_get_current_cipher, (const void *session)) \
  F(const char *, SSL_CIPHER_get_name, (const void *cipher)) \
  F(void, SSL_get0_alpn_selected, (const void *session, const unsigned char **name, unsigned *count)) \
  F(const char *, SSL_get_servername, (const void *session, int kind)) \
  F(void *, SSL_get1_peer_certificate, (const void *session))

#define FUNCTION_POINTER(result, name, parameters) result(*name) parameters;

typedef struct openssl_library {
  CRYPTO_FUNCTIONS(FUNCTION_POINTER)
  TLS_FUNCTIONS(FUNCTION_POINTER)
} openssl_library;

/// The functions; filled once, by the first call of `cloopback_openssl_load`.
extern openssl_library cloopback_openssl;
#define ssl cloopback_openssl

/// Looks up the functions; returns `false` with the reason in `error` if one is missing.
bool cloopback_openssl_load(char *error, size_t capacity);

/// Writes what failed and OpenSSL's first reason for it, and returns `false`.
bool cloopback_openssl_failed(const char *what, char *error, size_t capacity);

/// Returns the next certificate of a PEM text, or NULL; the caller frees it.
void *cloopback_read_certificate(void *bio);

/// Returns the certificate or the key that a PEM text begins with, or NULL; the caller frees it.
void *cloopback_certificate(const char *pem);
void *cloopback_key(const char *pem);

#endif
