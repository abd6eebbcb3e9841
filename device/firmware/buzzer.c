#include "buzzer.h"

#include <avr/io.h>

#include "clock.h"
#include "config.h"

static ticks began_at;
static ticks duration;

void buzzer_start(void)
{
    BUZZER_DDR |= _BV(BUZZER_BIT);
}

void buzzer_sound(uint8_t hundredths)
{
    began_at = clock_now();
    duration = TICKS_MS(10) * hundredths;
    if (hundredths)
        BUZZER_PORT |= _BV(BUZZER_BIT);
    else
        BUZZER_PORT &= (uint8_t)~_BV(BUZZER_BIT);
}

void buzzer_work(void)
{
    if (duration && clock_since(began_at) >= duration) {
        duration = 0;
        buzzer_sound(0);
    }
}
