/* SPDX-License-Identifier: GPL-3.0-or-later
 * An HD44780 with 16 x 2 characters on four data lines, never read; its waiting times are checked. */
#ifndef DISPLAY_H
#define DISPLAY_H

#include <sim_avr.h>
#include <stdint.h>

#include "wiring.h"

struct display {
    avr_t *avr;
    uint8_t memory[128];
    uint8_t address;
    uint8_t pins; /* D4..D7 as bits 0..3 */
    int rs, e;
    int is_four_bits, has_high;
    uint8_t high;
    avr_cycle_count_t raised_at, busy_until;
    unsigned faults;
    char fault[80];
};

void display_attach(struct display *display, avr_t *avr, const struct wiring *wiring);

/* Power came back: dark, eight bits, busy. */
void display_power_on(struct display *display);

/* Sixteen characters of a row, with a zero byte after them. */
void display_row(const struct display *display, int row, char text[17]);

#endif
