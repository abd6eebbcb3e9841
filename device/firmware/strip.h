/* The WS2812 strip: colours as the host gave them, dimmed to the current limit when they are written. */
#ifndef STRIP_H
#define STRIP_H

#include <stdint.h>

#include "config.h"

/* Red, green, blue for each LED; whoever changes it calls strip_show. */
extern uint8_t strip_rgb[3 * LEDS];

void strip_start(void);

/* Brightness 0..255 of what is shown from now on, and the current it may draw; never above MAX_MILLIAMPS. */
void strip_limit(uint8_t brightness, uint16_t milliamps);

void strip_show(void);
void strip_blank(void);

/* Writes the strip if it was changed and the latch time of the last write is over. Takes 34 us an LED with interrupts
 * off and polls the UART once for each colour byte. */
void strip_work(void);

#endif
