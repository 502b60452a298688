// What the loopback server needs from C: events of sockets, TLS, and compression.
//
// The functions of OpenSSL and zlib are found at run time, so that neither building nor running needs their
// development packages.

#ifndef CLOOPBACKSERVER_H
#define CLOOPBACKSERVER_H

#include "Certificates.h"
#include "Deflate.h"
#include "EventQueue.h"
#include "HTTP2.h"
#include "TLS.h"

#endif
