// The part of the binding for configuration and metrics: option numbers, values, and the information read
// from a handle at the end of a transfer. The numbers are part of libcurl's ABI, as in CNetworkCoreCurl.h.

#ifndef CCURL_CONFIGURATION_H
#define CCURL_CONFIGURATION_H

#include <stddef.h>
#include <stdint.h>

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
  CCURLOPT_FORBID_REUSE = 75,
  CCURLOPT_SSL_VERIFYPEER = 64,
  CCURLOPT_CAINFO = 10065,
  CCURLOPT_SSL_VERIFYHOST = 81,
  CCURLOPT_SSL_CIPHER_LIST = 10083,
  CCURLOPT_SSLCERTTYPE = 10086,
  CCURLOPT_SSLKEY = 10087,
  CCURLOPT_SSLKEYTYPE = 10088,
  CCURLOPT_CAPATH = 10097,
  CCURLOPT_PINNEDPUBLICKEY = 10230,
  CCURLOPT_SSL_VERIFYSTATUS = 232,
  CCURLOPT_SSL_OPTIONS = 216,
  CCURLOPT_PROXY_CAINFO = 10246,
  CCURLOPT_PROXY_CAPATH = 10247,
  CCURLOPT_TLS13_CIPHERS = 10276,
  CCURLOPT_COOKIE = 10022,
  CCURLOPT_HTTPPROXYTUNNEL = 61,
  CCURLOPT_HTTPAUTH = 107,
  CCURLOPT_USERNAME = 10173,
  CCURLOPT_PASSWORD = 10174,
  CCURLOPT_XOAUTH2_BEARER = 10220,
  CCURLOPT_DNS_CACHE_TIMEOUT = 92,
  CCURLOPT_IPRESOLVE = 113,
  CCURLOPT_PROXYUSERNAME = 10175,
  CCURLOPT_PROXYPASSWORD = 10176,
  CCURLOPT_NOPROXY = 10177,
  CCURLOPT_PROXYAUTH = 111,
  CCURLOPT_RESOLVE = 10203,
  CCURLOPT_CONNECT_TO = 10243,
  CCURLOPT_DOH_URL = 10279,
  CCURLOPT_UNIX_SOCKET_PATH = 10231,
  CCURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS = 271,
  CCURLOPT_TCP_KEEPIDLE = 214,
  CCURLOPT_TCP_KEEPINTVL = 215,
  CCURLOPT_MAXAGE_CONN = 288,
  CCURLOPT_MAXLIFETIME_CONN = 314,
  CCURLOPT_CA_CACHE_TIMEOUT = 321,
  CCURLOPT_SSLCERT_BLOB = 40291,
  CCURLOPT_SSLKEY_BLOB = 40292,
  CCURLOPT_CAINFO_BLOB = 40309,
  CCURLOPT_PROXY_CAINFO_BLOB = 40310,
};

// Values of those options.
enum {
  CCURL_IPRESOLVE_WHATEVER = 0,
  CCURL_SSLVERSION_TLSv1_0 = 4,
  CCURL_SSLVERSION_TLSv1_1 = 5,
  CCURL_SSLVERSION_TLSv1_2 = 6,
  CCURL_SSLVERSION_TLSv1_3 = 7,
  CCURLSSLOPT_EARLYDATA = 64,
  CCURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE = 5,
  CCURL_HTTP_VERSION_3 = 30,
  CCURL_HTTP_VERSION_3ONLY = 31,
  CCURLPAUSE_RECV = 1,
  CCURLPAUSE_SEND = 4,
  CCURLAUTH_BASIC = 1,
  CCURLAUTH_DIGEST = 2,
  CCURLAUTH_NEGOTIATE = 4,
  CCURLAUTH_BEARER = 64,
};

// Information about an easy handle (CURLINFO_*).
enum {
  CCURLINFO_SSL_VERIFYRESULT = 0x20000D,
  CCURLINFO_PROXY_SSL_VERIFYRESULT = 0x20002F,
  CCURLINFO_HTTP_VERSION = 0x20002E,
  CCURLINFO_PRIMARY_IP = 0x100020,
  CCURLINFO_PRIMARY_PORT = 0x200028,
  CCURLINFO_LOCAL_IP = 0x100029,
  CCURLINFO_LOCAL_PORT = 0x20002A,
  // From 7.84 on.
  CCURLINFO_CAINFO = 0x10003D,
  CCURLINFO_CAPATH = 0x10003E,
};

// Options of a multi handle (CURLMOPT_*).
enum {
  CCURLMOPT_MAX_HOST_CONNECTIONS = 7,
  CCURLMOPT_MAX_CONCURRENT_STREAMS = 16,
};

// Values of CURLINFO_HTTP_VERSION.
enum {
  CCURL_HTTP_VERSION_IS_1_0 = 1,
  CCURL_HTTP_VERSION_IS_1_1 = 2,
  CCURL_HTTP_VERSION_IS_2 = 3,
  CCURL_HTTP_VERSION_IS_3 = 30,
};

/// The address that a socket is opened for; the beginning of `struct curl_sockaddr`.
typedef struct ccurl_sockaddr {
  int family;
  int kind;
  int protocol;
} ccurl_sockaddr;

/// Called to open a socket; returns the socket, or a negative number.
typedef int (*ccurl_open_socket_callback)(void *context, int purpose, ccurl_sockaddr *address);
/// Called to close a socket; returns 0.
typedef int (*ccurl_close_socket_callback)(void *context, int socket);

/// Opens a socket that child processes do not inherit: the server does not see a connection close while
/// another process holds it open.
int ccurl_open_socket(void *context, int purpose, ccurl_sockaddr *address);

/// The metrics of a handle's last transfer; times are microseconds since its start.
typedef struct ccurl_metrics {
  int64_t nameLookup;
  int64_t connect;
  int64_t secureConnect;
  int64_t firstByte;
  int64_t total;
  int64_t bodyBytesSent;
  int64_t bodyBytesReceived;
  long headBytesReceived;
  long httpVersion;
  long newConnections;
  long remotePort;
  /// Belongs to the handle and is valid until its next transfer.
  const char *remoteAddress;
} ccurl_metrics;

// Results of setting an option (CURLcode).
enum {
  CCURLE_NOT_BUILT_IN = 4,
  CCURLE_UNKNOWN_OPTION = 48,
};

// The reasons why a certificate was not accepted (OpenSSL's X509_V_ERR_*, which libraries derived from it
// share).
enum {
  CCURL_X509_OK = 0,
  CCURL_X509_UNSPECIFIED = 1,
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

// The same of GnuTLS (gnutls_certificate_status_t): flags.
enum {
  CCURL_GNUTLS_CERT_REVOKED = 1 << 5,
  CCURL_GNUTLS_CERT_SIGNER_NOT_FOUND = 1 << 6,
  CCURL_GNUTLS_CERT_NOT_ACTIVATED = 1 << 9,
  CCURL_GNUTLS_CERT_EXPIRED = 1 << 10,
};

#endif
