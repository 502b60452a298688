// A server of HTTP/1.1 whose own cost hardly grows with what it holds.

#ifndef HOLDING_SERVER_H
#define HOLDING_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/// Starts it on a thread of its own; returns its port, 0 where the system has no socket left.
uint16_t holding_server_start(void);

/// How many requests have come that are held: all but those for `/at-once`.
int holding_server_pending(void);

/// Answers all that is held, and holds what comes then.
void holding_server_release(void);

#endif
