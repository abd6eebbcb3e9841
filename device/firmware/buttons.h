/* Four buttons to ground, debounced, and the events that the host has not acknowledged yet. */
#ifndef BUTTONS_H
#define BUTTONS_H

#include <stdint.h>

struct button_event {
    uint8_t index;
    uint8_t pressed;
    uint8_t all; /* one bit for each button that was down */
};

void buttons_start(void);

/* Looks at the pins. With `keep`, changes become events; a change that finds no room stays until there is some. */
void buttons_work(uint8_t keep);

/* The oldest event: 1 and filled in, or 0. */
uint8_t buttons_oldest(struct button_event *event);
void buttons_drop_oldest(void);
void buttons_forget(void);

#endif
