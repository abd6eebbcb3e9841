/* Framing of camref/1: COBS( type seq body crc16 ) 00, CRC-16/GENIBUS, big endian. No hardware: the tests compile it too. */
#ifndef CODEC_H
#define CODEC_H

#include <stdint.h>

#define HEADER_BYTES 2
#define CRC_BYTES 2
/* Longest packet that codec_encode takes: one COBS block, so no look-ahead is needed. */
#define ENCODE_MAX 64

enum decoded { PENDING, COMPLETE, BROKEN };

struct decoder {
    uint8_t *packet;   /* unstuffed bytes, crc included; valid until the next byte is fed */
    uint16_t capacity; /* bytes at `packet` */
    uint16_t length;
    uint16_t crc;
    uint8_t left;      /* bytes of the block still to come */
    uint8_t owes_zero; /* the block before ended with a zero that is not the end of the packet */
    uint8_t begun;
    uint8_t spoilt;
};

void decoder_init(struct decoder *decoder, uint8_t *packet, uint16_t capacity);

/* Takes one byte from the wire. COMPLETE: `packet` holds `length` bytes with a right CRC. BROKEN: something ended that
 * was no packet. The next byte starts afresh after either. */
enum decoded decoder_feed(struct decoder *decoder, uint8_t byte);

/* Appends the CRC to `length` bytes at `packet` (room for CRC_BYTES more) and writes the stuffed packet with its 00 to
 * `wire` (room for length + 5). Returns the bytes written. */
uint8_t codec_encode(uint8_t *packet, uint8_t length, uint8_t *wire);

#endif
