/* The firmware's decoder on the host: reads cases (length, two bytes, little endian; then the bytes) and prints for
 * each packet that it takes "case hex", the CRC included. */
#include <stdio.h>
#include <stdlib.h>

#include "codec.h"

#define CAPACITY 486 /* that of a board with 160 LEDs */

static void take_case(long number, const uint8_t *bytes, size_t length, uint8_t *packet)
{
    struct decoder decoder;

    decoder_init(&decoder, packet, CAPACITY);
    for (size_t i = 0; i < length; i++) {
        if (decoder_feed(&decoder, bytes[i]) != COMPLETE)
            continue;
        printf("%ld ", number);
        for (uint16_t j = 0; j < decoder.length; j++)
            printf("%02x", packet[j]);
        printf("\n");
    }
}

int main(void)
{
    uint8_t size[2], bytes[65536];
    uint8_t *packet = malloc(CAPACITY); /* on the heap, where the sanitizer guards both ends */

    for (long number = 0; fread(size, 1, 2, stdin) == 2; number++) {
        size_t length = (size_t)(size[0] | size[1] << 8);

        if (fread(bytes, 1, length, stdin) != length)
            return 2;
        take_case(number, bytes, length, packet);
    }
    free(packet);
    return 0;
}
