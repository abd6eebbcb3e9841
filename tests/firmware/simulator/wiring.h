/* SPDX-License-Identifier: GPL-3.0-or-later
 * Which pin of which chip goes where, as docs/hardware.md draws it. */
#ifndef WIRING_H
#define WIRING_H

#include <sim_avr.h>
#include <sim_irq.h>

struct pin {
    char port;
    int bit;
};

struct wiring {
    const char *mcu;
    struct pin strip;
    struct pin lcd_rs, lcd_e, lcd_data[4];
    struct pin button[4];
    struct pin buzzer;
};

/* The wiring for a chip, or NULL. */
const struct wiring *wiring_of(const char *mcu);

avr_irq_t *wiring_irq(avr_t *avr, struct pin pin);

/* Nanoseconds for cycles of the board's 16 MHz. */
static inline uint64_t in_ns(avr_cycle_count_t cycles)
{
    return cycles * 125 / 2;
}

#endif
