#include "apply.h"

#include <string.h>

#include "buzzer.h"
#include "config.h"
#include "lcd.h"
#include "strip.h"

/* first(2) rgb...: neighbouring LEDs. */
static enum status take_frame(const uint8_t *body, uint16_t length)
{
    uint16_t first;

    if (length < 2 || (length - 2) % 3)
        return BAD_LENGTH;
    first = (uint16_t)body[0] << 8 | body[1];
    if (first > LEDS || (length - 2) / 3 > LEDS - first)
        return BAD_LENGTH;
    memcpy(strip_rgb + 3 * first, body + 2, length - 2);
    strip_show();
    return OK;
}

/* n(1) rgb * n, then one nibble for each LED of the strip, the high one first. */
static enum status take_palette(const uint8_t *body, uint16_t length)
{
    const uint8_t *nibbles;
    uint8_t colours;
    uint16_t i;

    colours = length ? body[0] : 0;
    if (colours < 1 || colours > 16 || length != 1 + 3U * colours + (LEDS + 1U) / 2)
        return BAD_LENGTH;
    nibbles = body + 1 + 3 * colours;
    for (i = 0; i < LEDS; i++) {
        uint8_t nibble = i % 2 ? nibbles[i / 2] & 0x0F : nibbles[i / 2] >> 4;

        if (nibble < colours)
            memcpy(strip_rgb + 3 * i, body + 1 + 3 * nibble, 3);
    }
    strip_show();
    return OK;
}

/* (rgb n led * n)...: scattered LEDs, sorted by colour. Nothing is shown of a body with a fault. */
static enum status take_spots(const uint8_t *body, uint16_t length)
{
    const uint8_t *end = body + length;
    const uint8_t *at;
    uint8_t i;

    for (at = body; at != end; at += 4 + at[3]) {
        if (end - at < 4 || end - at - 4 < at[3])
            return BAD_LENGTH;
        for (i = 0; i < at[3]; i++) {
            uint16_t led = at[4 + i];

            if (led >= LEDS)
                return BAD_LENGTH;
        }
    }
    for (at = body; at != end; at += 4 + at[3])
        for (i = 0; i < at[3]; i++)
            memcpy(strip_rgb + 3 * at[4 + i], at, 3);
    strip_show();
    return OK;
}

static enum status take_text(const uint8_t *body, uint16_t length)
{
    if (length < 2 || body[0] >= TEXT_ROWS || body[1] > TEXT_COLS || length > 2U + TEXT_COLS - body[1])
        return BAD_LENGTH;
    lcd_put(body[0], body[1], (const char *)body + 2, length - 2);
    return OK;
}

static enum status take_limit(const uint8_t *body, uint16_t length)
{
    if (length != 3)
        return BAD_LENGTH;
    strip_limit(body[0], (uint16_t)body[1] << 8 | body[2]);
    return OK;
}

static enum status take_beep(const uint8_t *body, uint16_t length)
{
    if (length != 1)
        return BAD_LENGTH;
    buzzer_sound(body[0]);
    return OK;
}

enum status apply(uint8_t type, const uint8_t *body, uint16_t length)
{
    switch (type) {
    case TYPE_FRAME:
        return take_frame(body, length);
    case TYPE_PALETTE:
        return take_palette(body, length);
    case TYPE_SPOTS:
        return take_spots(body, length);
    case TYPE_TEXT:
        return take_text(body, length);
    case TYPE_LIMIT:
        return take_limit(body, length);
    case TYPE_BEEP:
        return take_beep(body, length);
    default:
        return BAD_TYPE;
    }
}
