// An HTTP/1.1 server whose own cost hardly grows with the number of requests that it holds.

#ifndef HOLDING_SERVER_H
#define HOLDING_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/// Starts the server on a separate thread; returns its port, or 0 if it could not start.
uint16_t holding_server_start(void);

/// Returns the number of requests that are held: all except those for `/at-once`.
int holding_server_pending(void);

/// Responds to all held requests; later requests are held again.
void holding_server_release(void);

#endif
