#include "strip.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <string.h>

#include "clock.h"
#include "uart.h"

#if F_CPU != 16000000UL
#error "the pulses below are counted in cycles of 16 MHz"
#endif
/* WS2812B V5 asks for 280 us of low before it latches; the first ones for 50. */
#define LATCH_US 300
/* Data sheet: 20 mA for a channel at full. */
#define CHANNEL_MILLIAMPS 20

uint8_t strip_rgb[3 * LEDS];
static uint8_t changed;
static ticks written_at;
static uint16_t brightness = 256;
static uint32_t channel_limit = (uint32_t)MAX_MILLIAMPS * 255 / CHANNEL_MILLIAMPS;

void strip_start(void)
{
    STRIP_DDR |= _BV(STRIP_BIT);
}

void strip_limit(uint8_t level, uint16_t milliamps)
{
    if (milliamps > MAX_MILLIAMPS)
        milliamps = MAX_MILLIAMPS;
    brightness = level + 1;
    channel_limit = (uint32_t)milliamps * 255 / CHANNEL_MILLIAMPS;
    strip_show();
}

void strip_show(void)
{
    changed = 1;
}

void strip_blank(void)
{
    memset(strip_rgb, 0, sizeof strip_rgb);
    strip_show();
}

/* 256 is full: the host's brightness, less if the picture would draw too much with it. */
static uint16_t scale(void)
{
    uint32_t channels = 0;
    const uint8_t *rgb;

    for (rgb = strip_rgb; rgb != strip_rgb + sizeof strip_rgb; rgb += 3)
        channels += (uint16_t)(rgb[0] + rgb[1] + rgb[2]);
    if (channels * brightness <= channel_limit * 256)
        return brightness;
    return channel_limit * 256 / channels;
}

/* One colour byte, first bit first, 20 cycles a bit: high for 6 (375 ns, a zero) or 13 (812 ns, a one). */
static inline __attribute__((always_inline)) void write_byte(uint8_t byte, uint8_t high, uint8_t low)
{
    uint8_t bits;

    __asm__ volatile("    ldi %[bits], 8      \n"
                     "1:  out %[port], %[high]\n"
                     "    rjmp .+0            \n"
                     "    rjmp .+0            \n"
                     "    sbrs %[byte], 7     \n"
                     "    out %[port], %[low] \n"
                     "    rjmp .+0            \n"
                     "    rjmp .+0            \n"
                     "    rjmp .+0            \n"
                     "    out %[port], %[low] \n"
                     "    lsl %[byte]         \n"
                     "    rjmp .+0            \n"
                     "    dec %[bits]         \n"
                     "    brne 1b             \n"
                     : [byte] "+r"(byte), [bits] "=&d"(bits)
                     : [port] "I"(_SFR_IO_ADDR(STRIP_PORT)), [high] "r"(high), [low] "r"(low));
}

void strip_work(void)
{
    const uint8_t *rgb = strip_rgb;
    uint16_t level;
    uint8_t high;
    uint8_t low;

    if (!changed || clock_since(written_at) < TICKS_US(LATCH_US))
        return;
    changed = 0;
    level = scale();
    cli();
    high = STRIP_PORT | _BV(STRIP_BIT);
    low = STRIP_PORT & (uint8_t)~_BV(STRIP_BIT);
    for (; rgb != strip_rgb + sizeof strip_rgb; rgb += 3) {
        write_byte((rgb[1] * level) >> 8, high, low);
        uart_poll();
        write_byte((rgb[0] * level) >> 8, high, low);
        uart_poll();
        write_byte((rgb[2] * level) >> 8, high, low);
        uart_poll();
    }
    sei();
    written_at = clock_now();
}
