#include "buttons.h"

#include <avr/io.h>

#include "clock.h"
#include "config.h"

/* A change counts once it has stood for SETTLE_MS (spikes are shorter), and then nothing for QUIET_MS: cheap buttons
 * bounce for up to 20 ms. */
#define SETTLE_MS 5
#define QUIET_MS 30
#define ALL_BUTTONS ((1 << BUTTONS) - 1)
#define QUEUE_LENGTH 16

static struct {
    uint8_t is_changing;
    uint8_t is_quiet;
    ticks since;
} timers[BUTTONS];
static uint8_t down;
static struct button_event queue[QUEUE_LENGTH];
static uint8_t oldest;
static uint8_t waiting;

void buttons_start(void)
{
    BUTTON_PORT |= ALL_BUTTONS;
}

static void change(uint8_t i, uint8_t keep)
{
    struct button_event *event = &queue[(oldest + waiting) % QUEUE_LENGTH];

    if (keep && waiting == QUEUE_LENGTH)
        return;
    timers[i].is_changing = 0;
    timers[i].is_quiet = 1;
    timers[i].since = clock_now();
    down ^= 1 << i;
    if (!keep)
        return;
    event->index = i;
    event->pressed = down >> i & 1;
    event->all = down;
    waiting++;
}

void buttons_work(uint8_t keep)
{
    uint8_t now_down = ~BUTTON_PIN & ALL_BUTTONS;
    uint8_t i;

    for (i = 0; i < BUTTONS; i++) {
        uint8_t differs = (now_down ^ down) >> i & 1;

        if (timers[i].is_quiet) {
            timers[i].is_quiet = clock_since(timers[i].since) < TICKS_MS(QUIET_MS);
        } else if (!differs) {
            timers[i].is_changing = 0;
        } else if (!timers[i].is_changing) {
            timers[i].is_changing = 1;
            timers[i].since = clock_now();
        } else if (clock_since(timers[i].since) >= TICKS_MS(SETTLE_MS)) {
            change(i, keep);
        }
    }
}

uint8_t buttons_oldest(struct button_event *event)
{
    if (!waiting)
        return 0;
    *event = queue[oldest];
    return 1;
}

void buttons_drop_oldest(void)
{
    oldest = (oldest + 1) % QUEUE_LENGTH;
    waiting--;
}

void buttons_forget(void)
{
    waiting = 0;
}
