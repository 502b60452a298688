// The part of the binding that configuration and metrics need: option numbers, values and the questions asked of a
// handle at the end of a transfer. Numbers are libcurl's ABI, as in CCurl.h.

#ifndef CCURL_CONFIGURATION_H
#define CCURL_CONFIGURATION_H

#include <stddef.h>

/// Bytes for an option; the layout is that of `struct curl_blob`.
typedef struct ccurl_blob {
  void *data;
  size_t length;
  /// 0: libcurl keeps the pointer; 1: it copies the bytes.
  unsigned int flags;
} ccurl_blob;

// Options of an easy handle that come from a configuration (CURLOPT_*).
enum {
  CCURLOPT_SSLCERT = 10025,
  CCURLOPT_KEYPASSWD = 10026,
  CCURLOPT_SSLVERSION = 32,
  CCURLOPT_SSL_VERIFYPEER = 64,
  CCURLOPT_CAINFO = 10065,
  CCURLOPT_SSL_VERIFYHOST = 81,
  CCURLOPT_SSL_CIPHER_LIST = 10083,
  CCURLOPT_SSLCERTTYPE = 10086,
  CCURLOPT_SSLKEY = 10087,
  CCURLOPT_SSLKEYTYPE = 10088,
  CCURLOPT_CAPATH = 10097,
  CCURLOPT_PINNEDPUBLICKEY = 10230,
  CCURLOPT_PROXY_CAINFO = 10246,
  CCURLOPT_PROXY_CAPATH = 10247,
  CCURLOPT_TLS13_CIPHERS = 10276,
  CCURLOPT_SSLCERT_BLOB = 40291,
  CCURLOPT_SSLKEY_BLOB = 40292,
  CCURLOPT_CAINFO_BLOB = 40309,
  CCURLOPT_PROXY_CAINFO_BLOB = 40310,
};

// Values of those options.
enum {
  CCURL_SSLVERSION_TLSv1_0 = 4,
  CCURL_SSLVERSION_TLSv1_1 = 5,
  CCURL_SSLVERSION_TLSv1_2 = 6,
  CCURL_SSLVERSION_TLSv1_3 = 7,
};

// What can be asked of an easy handle (CURLINFO_*).
enum {
  CCURLINFO_SSL_VERIFYRESULT = 0x20000D,
};

// Results of setting an option (CURLcode).
enum {
  CCURLE_NOT_BUILT_IN = 4,
  CCURLE_UNKNOWN_OPTION = 48,
};

// Why a certificate was not accepted (OpenSSL's X509_V_ERR_*, which its descendants share).
enum {
  CCURL_X509_UNABLE_TO_GET_ISSUER_CERT = 2,
  CCURL_X509_CERT_NOT_YET_VALID = 9,
  CCURL_X509_CERT_HAS_EXPIRED = 10,
  CCURL_X509_DEPTH_ZERO_SELF_SIGNED_CERT = 18,
  CCURL_X509_SELF_SIGNED_CERT_IN_CHAIN = 19,
  CCURL_X509_UNABLE_TO_GET_ISSUER_CERT_LOCALLY = 20,
  CCURL_X509_UNABLE_TO_VERIFY_LEAF_SIGNATURE = 21,
  CCURL_X509_CERT_REVOKED = 23,
  CCURL_X509_HOSTNAME_MISMATCH = 62,
  CCURL_X509_IP_ADDRESS_MISMATCH = 64,
};

#endif
