#pragma once
#include <stdbool.h>
#include <stdint.h>

// Faults of this process's surroundings, which last until they are switched off.
//
// The program's own clock_gettime, getaddrinfo, write, open and socket replace those of the C library, also for the
// libraries that it loads. Without glibc, only the last two functions have an effect.

// Moves the wall clock by so many seconds; 0 for the true time.
void disturb_clock(int64_t seconds);
// Whether no host name is found.
void disturb_names(bool fail);
// Whether no file takes another byte.
void disturb_disk(bool isFull);
// Whether no descriptor is left for sockets and files; those of /proc can be opened, because Dispatch ends the
// process if it cannot count its threads there.
void disturb_descriptors(bool areUsedUp);
// Breaks each TCP connection, as a new address of the machine does. Returns their number.
int disturb_connections(void);
// Forks the process; the copy keeps all descriptors open for a second. Returns whether it ended by itself.
bool disturb_by_fork(void);

// The address of the host soak.test is 127.0.0.1.
