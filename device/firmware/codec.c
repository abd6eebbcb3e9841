#include "codec.h"

#define CRC_START 0xFFFF
/* What the register holds after a message and its inverted CRC. The inversion matters: without it a doubled last code
 * byte of COBS adds a zero that the CRC does not see. */
#define CRC_RESIDUE 0x1D0F
#define FULL_BLOCK 0xFF

/* Polynomial 0x1021, a byte at a time in eight-bit pieces: the 8-bit compiler makes 20 cycles of it, and at 500,000
 * baud there are 320 for everything that a byte needs. */
static uint16_t crc_add(uint16_t crc, uint8_t byte)
{
    uint8_t high;
    uint8_t low;

    byte ^= (uint8_t)(crc >> 8);
    byte ^= byte >> 4;
    high = (uint8_t)crc ^ (uint8_t)(byte << 4) ^ byte >> 3;
    low = (uint8_t)(byte << 5) ^ byte;
    return (uint16_t)((uint16_t)high << 8 | low);
}

static void start(struct decoder *decoder)
{
    decoder->length = 0;
    decoder->crc = CRC_START;
    decoder->left = 0;
    decoder->owes_zero = 0;
    decoder->begun = 0;
    decoder->spoilt = 0;
}

void decoder_init(struct decoder *decoder, uint8_t *packet, uint16_t capacity)
{
    decoder->packet = packet;
    decoder->capacity = capacity;
    start(decoder);
}

static void append(struct decoder *decoder, uint8_t byte)
{
    if (decoder->length == decoder->capacity) {
        decoder->spoilt = 1;
        return;
    }
    decoder->packet[decoder->length++] = byte;
    decoder->crc = crc_add(decoder->crc, byte);
}

static enum decoded finish(struct decoder *decoder)
{
    uint16_t length = decoder->length;
    uint8_t whole = !decoder->spoilt && decoder->left == 0 && length >= HEADER_BYTES + CRC_BYTES;
    enum decoded result = whole && decoder->crc == CRC_RESIDUE ? COMPLETE : BROKEN;

    if (!decoder->begun)
        result = PENDING;
    start(decoder);
    decoder->length = result == COMPLETE ? length : 0;
    return result;
}

enum decoded decoder_feed(struct decoder *decoder, uint8_t byte)
{
    if (byte == 0)
        return finish(decoder);
    if (!decoder->begun) {
        start(decoder);
        decoder->begun = 1;
    }
    if (decoder->left) {
        decoder->left--;
        append(decoder, byte);
        return PENDING;
    }
    if (decoder->owes_zero)
        append(decoder, 0);
    decoder->left = byte - 1;
    decoder->owes_zero = byte != FULL_BLOCK;
    return PENDING;
}

uint8_t codec_encode(uint8_t *packet, uint8_t length, uint8_t *wire)
{
    uint16_t crc = CRC_START;
    uint8_t code_at = 0;
    uint8_t end = 1;
    uint8_t i;

    for (i = 0; i < length; i++)
        crc = crc_add(crc, packet[i]);
    packet[length++] = (uint8_t)(~crc >> 8);
    packet[length++] = (uint8_t)~crc;
    for (i = 0; i < length; i++) {
        if (packet[i]) {
            wire[end++] = packet[i];
            continue;
        }
        wire[code_at] = end - code_at;
        code_at = end++;
    }
    wire[code_at] = end - code_at;
    wire[end++] = 0;
    return end;
}
