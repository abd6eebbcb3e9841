/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wiring.h"

#include <avr_ioport.h>
#include <sim_io.h>
#include <string.h>

static const struct wiring wirings[] = {
    {"atmega328p", {'D', 6}, {'B', 4}, {'B', 3}, {{'D', 5}, {'D', 4}, {'D', 3}, {'D', 2}},
     {{'C', 0}, {'C', 1}, {'C', 2}, {'C', 3}}, {'B', 1}},
    {"atmega2560", {'A', 0}, {'A', 2}, {'A', 3}, {{'A', 4}, {'A', 5}, {'A', 6}, {'A', 7}},
     {{'F', 0}, {'F', 1}, {'F', 2}, {'F', 3}}, {'B', 4}},
};

const struct wiring *wiring_of(const char *mcu)
{
    for (size_t i = 0; i < sizeof wirings / sizeof *wirings; i++)
        if (!strcmp(wirings[i].mcu, mcu))
            return &wirings[i];
    return NULL;
}

avr_irq_t *wiring_irq(avr_t *avr, struct pin pin)
{
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(pin.port), pin.bit);
}
