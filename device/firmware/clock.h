/* Time without interrupts: Timer 1 runs freely, so a strip write with interrupts off loses none of it. */
#ifndef CLOCK_H
#define CLOCK_H

#include <avr/io.h>
#include <stdint.h>

/* One tick is 1024 cycles, 64 us at 16 MHz; differences are right up to 4.19 s. */
typedef uint16_t ticks;
#define TICKS_MS(ms) ((ticks)((ms) * (F_CPU / 1024UL) / 1000UL))
#define TICKS_US(us) ((ticks)((us) * (F_CPU / 1024UL) / 1000000UL + 1))

static inline void clock_start(void)
{
    TCCR1A = 0;
    TCCR1B = _BV(CS12) | _BV(CS10);
}

static inline ticks clock_now(void)
{
    return TCNT1;
}

static inline ticks clock_since(ticks then)
{
    return clock_now() - then;
}

#endif
