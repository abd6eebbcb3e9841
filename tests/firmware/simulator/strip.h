/* SPDX-License-Identifier: GPL-3.0-or-later
 * A WS2812B strip on one pin: every pulse is measured against the data sheet. */
#ifndef STRIP_H
#define STRIP_H

#include <sim_avr.h>
#include <stdint.h>

#define STRIP_LONGEST 1024
#define STRIP_KEPT 64

struct picture {
    avr_cycle_count_t at;
    uint8_t rgb[3 * STRIP_LONGEST];
};

struct strip {
    avr_t *avr;
    int leds;
    uint8_t rgb[3 * STRIP_LONGEST];     /* what is seen */
    uint8_t shifted[3 * STRIP_LONGEST]; /* what came since the last latch, as it came: green first */
    long bits;
    int level;
    avr_cycle_count_t rose_at, fell_at;
    struct picture kept[STRIP_KEPT]; /* the last pictures latched, picture n at n % STRIP_KEPT */
    uint64_t latches;
    uint64_t told; /* pictures that were asked for already */
    unsigned faults;
    char fault[160]; /* the first one, in words */
    uint64_t shortest_high_0, longest_high_0, shortest_high_1, longest_high_1, longest_gap;
};

void strip_attach(struct strip *strip, avr_t *avr, avr_irq_t *pin, int leds);

/* Brings `rgb` up to date: latches if the line has been low for long enough by now. */
void strip_settle(struct strip *strip);

/* The board lost its clock in the middle of whatever it did; that is no fault of the firmware's. */
void strip_interrupted(struct strip *strip);

#endif
