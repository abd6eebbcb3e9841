/* The packets of camref/1, and what those that change something say. docs/hardware.md is the reference. */
#ifndef APPLY_H
#define APPLY_H

#include <stdint.h>

enum type {
    TYPE_HELLO = 0x01,
    TYPE_FRAME = 0x02,
    TYPE_TEXT = 0x03,
    TYPE_PING = 0x04,
    TYPE_EVACK = 0x05,
    TYPE_PALETTE = 0x06,
    TYPE_SPOTS = 0x07,
    TYPE_LIMIT = 0x08,
    TYPE_BEEP = 0x09,
    TYPE_ACK = 0x80,
    TYPE_CAPS = 0x81,
    TYPE_PONG = 0x84,
    TYPE_BUTTON = 0x90
};

/* What an ACK says. */
enum status { OK, BAD_CRC, BAD_TYPE, BAD_LENGTH, DUPLICATE, NO_SESSION };

/* Does what a packet says, wholly or, when its body has a fault, not at all. */
enum status apply(uint8_t type, const uint8_t *body, uint16_t length);

#endif
