/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "display.h"

#include <sim_irq.h>
#include <stdio.h>
#include <string.h>

#define PULSE_MIN_NS 450
#define WAKE_NS 40000000
#define COMMAND_NS 37000
#define CLEAR_NS 1520000
#define INIT_NS 100000

static void fault(struct display *display, const char *what)
{
    if (!display->faults++)
        snprintf(display->fault, sizeof display->fault, "%s at %llu ns", what,
                 (unsigned long long)in_ns(display->avr->cycle));
}

static void busy(struct display *display, uint64_t ns)
{
    display->busy_until = display->avr->cycle + ns * 2 / 125;
}

static void command(struct display *display, uint8_t byte)
{
    busy(display, COMMAND_NS);
    if (byte & 0x80) {
        display->address = byte & 0x7F;
    } else if (byte & 0x20) {
        display->is_four_bits = !(byte & 0x10);
    } else if (byte == 0x01) {
        memset(display->memory, ' ', sizeof display->memory);
        display->address = 0;
        busy(display, CLEAR_NS);
    }
}

static void take(struct display *display, uint8_t byte)
{
    if (!display->rs) {
        command(display, byte);
        return;
    }
    display->memory[display->address] = byte;
    display->address = (display->address + 1) & 0x7F;
    busy(display, COMMAND_NS);
}

static void strobe(struct display *display)
{
    if (in_ns(display->avr->cycle - display->raised_at) < PULSE_MIN_NS)
        fault(display, "enable pulse too short");
    if (!display->has_high && display->avr->cycle < display->busy_until)
        fault(display, "written while busy");
    if (!display->is_four_bits) {
        command(display, (uint8_t)(display->pins << 4));
        busy(display, INIT_NS);
    } else if (!display->has_high) {
        display->high = display->pins;
        display->has_high = 1;
    } else {
        display->has_high = 0;
        take(display, (uint8_t)(display->high << 4 | display->pins));
    }
}

static void changed(avr_irq_t *irq, uint32_t value, void *param)
{
    struct display *display = param;
    int level = value & 1;
    (void)irq;

    if (level == display->e)
        return;
    display->e = level;
    if (level)
        display->raised_at = display->avr->cycle;
    else
        strobe(display);
}

static void select_changed(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    ((struct display *)param)->rs = value & 1;
}

#define DATA_LINE(n) \
    static void data_##n(avr_irq_t *irq, uint32_t value, void *param) \
    { \
        struct display *display = param; \
        (void)irq; \
        display->pins = (uint8_t)((display->pins & ~(1 << n)) | (value & 1) << n); \
    }
DATA_LINE(0)
DATA_LINE(1)
DATA_LINE(2)
DATA_LINE(3)

void display_attach(struct display *display, avr_t *avr, const struct wiring *wiring)
{
    const avr_irq_notify_t lines[4] = {data_0, data_1, data_2, data_3};

    memset(display, 0, sizeof *display);
    display->avr = avr;
    for (int i = 0; i < 4; i++)
        avr_irq_register_notify(wiring_irq(avr, wiring->lcd_data[i]), lines[i], display);
    avr_irq_register_notify(wiring_irq(avr, wiring->lcd_rs), select_changed, display);
    avr_irq_register_notify(wiring_irq(avr, wiring->lcd_e), changed, display);
    display_power_on(display);
}

void display_power_on(struct display *display)
{
    memset(display->memory, ' ', sizeof display->memory);
    display->is_four_bits = display->has_high = display->e = 0;
    busy(display, WAKE_NS);
}

void display_row(const struct display *display, int row, char text[17])
{
    for (int i = 0; i < 16; i++) {
        uint8_t c = display->memory[row * 0x40 + i];
        text[i] = c >= 0x20 && c < 0x7F && c != '"' && c != '\\' ? (char)c : '?';
    }
    text[16] = 0;
}
