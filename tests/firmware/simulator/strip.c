/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "strip.h"

#include <sim_irq.h>
#include <stdio.h>
#include <string.h>

#include "wiring.h"

/* WS2812B data sheet, the intersection of its editions: a zero is high for 200 to 500 ns, a one for 550 to 1000; low
 * for 300 ns at least; clones take 5 us of low for the end, the newest edition asks for 280 us before it latches. */
#define ZERO_MIN_NS 200
#define ZERO_MAX_NS 500
#define ONE_MIN_NS 550
#define ONE_MAX_NS 1000
#define LOW_MIN_NS 300
#define GAP_MAX_NS 5000
#define LATCH_NS 280000

static void fault(struct strip *strip, const char *what, uint64_t ns)
{
    if (!strip->faults++)
        snprintf(strip->fault, sizeof strip->fault, "%s %llu ns at bit %ld", what, (unsigned long long)ns, strip->bits);
}

static void latch(struct strip *strip)
{
    long whole = strip->bits / 24;

    for (long led = 0; led < whole && led < strip->leds; led++) {
        strip->rgb[3 * led] = strip->shifted[3 * led + 1];
        strip->rgb[3 * led + 1] = strip->shifted[3 * led];
        strip->rgb[3 * led + 2] = strip->shifted[3 * led + 2];
    }
    strip->bits = 0;
    strip->kept[strip->latches % STRIP_KEPT].at = strip->fell_at + LATCH_NS * 2 / 125;
    memcpy(strip->kept[strip->latches++ % STRIP_KEPT].rgb, strip->rgb, sizeof strip->rgb);
}

void strip_settle(struct strip *strip)
{
    if (!strip->bits || strip->level || in_ns(strip->avr->cycle - strip->fell_at) < LATCH_NS)
        return;
    if (strip->bits != 24L * strip->leds)
        fault(strip, "another number of bits than the strip has; low for", LATCH_NS);
    latch(strip);
}

void strip_interrupted(struct strip *strip)
{
    if (strip->bits)
        latch(strip);
    strip->level = 0;
}

static void take_bit(struct strip *strip, int bit)
{
    if (strip->bits < 24L * STRIP_LONGEST) {
        uint8_t *byte = &strip->shifted[strip->bits / 8];
        *byte = (uint8_t)(*byte << 1 | bit);
    }
    strip->bits++;
}

static void rose(struct strip *strip)
{
    uint64_t low = in_ns(strip->avr->cycle - strip->fell_at);

    strip->rose_at = strip->avr->cycle;
    if (!strip->bits)
        return;
    if (low < LOW_MIN_NS || low > GAP_MAX_NS)
        fault(strip, "low for", low);
    if (low > strip->longest_gap)
        strip->longest_gap = low;
}

static void fell(struct strip *strip)
{
    uint64_t high = in_ns(strip->avr->cycle - strip->rose_at);
    int bit = high > (ZERO_MAX_NS + ONE_MIN_NS) / 2;
    uint64_t *shortest = bit ? &strip->shortest_high_1 : &strip->shortest_high_0;
    uint64_t *longest = bit ? &strip->longest_high_1 : &strip->longest_high_0;

    strip->fell_at = strip->avr->cycle;
    if (bit ? high < ONE_MIN_NS || high > ONE_MAX_NS : high < ZERO_MIN_NS || high > ZERO_MAX_NS)
        fault(strip, "high for", high);
    if (!*shortest || high < *shortest)
        *shortest = high;
    if (high > *longest)
        *longest = high;
    take_bit(strip, bit);
}

static void changed(avr_irq_t *irq, uint32_t value, void *param)
{
    struct strip *strip = param;
    int level = value & 1;

    (void)irq;
    if (level == strip->level)
        return;
    strip_settle(strip);
    strip->level = level;
    if (level)
        rose(strip);
    else
        fell(strip);
}

void strip_attach(struct strip *strip, avr_t *avr, avr_irq_t *pin, int leds)
{
    memset(strip, 0, sizeof *strip);
    strip->avr = avr;
    strip->leds = leds;
    avr_irq_register_notify(pin, changed, strip);
}
