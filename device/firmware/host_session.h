/* camref/1 as the device speaks it; docs/hardware.md is the protocol's reference. */
#ifndef HOST_SESSION_H
#define HOST_SESSION_H

#include <stdint.h>

/* Counts the boot and tells whoever listens that there was one. */
void session_start(void);

/* Whether a host has greeted and not fallen silent. */
uint8_t session_is_open(void);

/* Reads what the host sent, answers it, sends button events, and says HOST LOST after three silent seconds. */
void session_work(void);

#endif
