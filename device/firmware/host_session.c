#include "host_session.h"

#include <avr/eeprom.h>
#include <string.h>

#include "apply.h"
#include "buttons.h"
#include "buzzer.h"
#include "clock.h"
#include "codec.h"
#include "config.h"
#include "lcd.h"
#include "strip.h"
#include "uart.h"

#define PROTOCOL 1
#define FEATURES 0x0F /* palette, spots, limit, buzzer */
/* Long enough for a host that swaps, short enough that nobody plays by what it said last. */
#define SILENCE_MS 2000
#define REPEAT_EVENT_MS 200
#define NO_SEQ 0x100
/* The longest that a host sends: a FRAME of the whole strip. */
#define PACKET_BYTES (HEADER_BYTES + 2 + 3 * LEDS + CRC_BYTES)

static uint16_t boots EEMEM;
static uint8_t packet[PACKET_BYTES];
static struct decoder decoder;
static uint16_t boot_id;
static uint16_t packets_good;
static uint16_t packets_broken;

static uint8_t is_open; /* between a HELLO and three silent seconds */
static uint16_t last_seq = NO_SEQ;
static ticks heard_at;

static uint8_t event_seq;
static uint8_t event_is_sent;
static ticks event_sent_at;

/* Sends `length` bytes of body; `out` starts with room for the header and ends with room for the CRC. */
static void send(uint8_t type, uint8_t seq, uint8_t *out, uint8_t length)
{
    uint8_t wire[ENCODE_MAX];

    out[0] = type;
    out[1] = seq;
    uart_send(wire, codec_encode(out, HEADER_BYTES + length, wire));
}

static uint8_t *put16(uint8_t *at, uint16_t value)
{
    *at++ = value >> 8;
    *at++ = (uint8_t)value;
    return at;
}

static void send_ack(uint8_t seq, uint8_t status)
{
    uint8_t out[HEADER_BYTES + 1 + CRC_BYTES];

    out[HEADER_BYTES] = status;
    send(TYPE_ACK, seq, out, 1);
}

static void send_caps(uint8_t seq)
{
    uint8_t out[HEADER_BYTES + 13 + sizeof NAME - 1 + CRC_BYTES];
    uint8_t *at = out + HEADER_BYTES;

    *at++ = PROTOCOL;
    at = put16(at, LEDS);
    *at++ = TEXT_COLS;
    *at++ = TEXT_ROWS;
    *at++ = BUTTONS;
    at = put16(at, PACKET_BYTES);
    *at++ = FEATURES;
    at = put16(at, boot_id);
    at = put16(at, MAX_MILLIAMPS);
    memcpy(at, NAME, sizeof NAME - 1);
    send(TYPE_CAPS, seq, out, 13 + sizeof NAME - 1);
}

static void send_pong(uint8_t seq)
{
    uint8_t out[HEADER_BYTES + 8 + CRC_BYTES];
    uint8_t *at = out + HEADER_BYTES;

    at = put16(at, boot_id);
    at = put16(at, packets_good);
    at = put16(at, packets_broken);
    put16(at, uart_overruns);
    send(TYPE_PONG, seq, out, 8);
}

static void open_session(uint8_t seq, const uint8_t *body, uint16_t length)
{
    if (length != 1 || body[0] != PROTOCOL) {
        send_ack(seq, BAD_TYPE);
        return;
    }
    is_open = 1;
    last_seq = NO_SEQ;
    event_is_sent = 0;
    send_caps(seq);
}

static void acknowledge_event(uint8_t seq)
{
    if (!event_is_sent || seq != event_seq)
        return;
    buttons_drop_oldest();
    event_seq++;
    event_is_sent = 0;
}

static void take_packet(uint16_t length)
{
    uint8_t type = packet[0];
    uint8_t seq = packet[1];
    const uint8_t *body = packet + HEADER_BYTES;
    enum status status;

    length -= HEADER_BYTES + CRC_BYTES;
    heard_at = clock_now();
    packets_good++;
    if (type == TYPE_HELLO) {
        open_session(seq, body, length);
    } else if (!is_open) {
        /* A board that was reset or gave the host up: parts of a picture would be laid over darkness. */
        send_ack(seq, NO_SESSION);
    } else if (type == TYPE_EVACK) {
        acknowledge_event(seq);
    } else if (type == TYPE_PING) {
        last_seq = seq; /* or the number would come round to that of a frame long ago */
        send_pong(seq);
    } else if (seq == last_seq) {
        send_ack(seq, DUPLICATE);
    } else {
        status = apply(type, body, length);
        if (status == OK)
            last_seq = seq;
        /* Before the strip is written, so that the host's next packet arrives meanwhile. */
        send_ack(seq, status);
    }
}

static void send_event(void)
{
    uint8_t out[HEADER_BYTES + 3 + CRC_BYTES];
    struct button_event event;

    if (event_is_sent && clock_since(event_sent_at) < TICKS_MS(REPEAT_EVENT_MS))
        return;
    if (!buttons_oldest(&event))
        return;
    out[HEADER_BYTES] = event.index;
    out[HEADER_BYTES + 1] = event.pressed;
    out[HEADER_BYTES + 2] = event.all;
    send(TYPE_BUTTON, event_seq, out, 3);
    event_is_sent = 1;
    event_sent_at = clock_now();
}

static void show_host_lost(void)
{
    is_open = 0;
    if (event_is_sent)
        event_seq++; /* the host may know that number already */
    event_is_sent = 0;
    buttons_forget();
    buzzer_sound(0);
    strip_blank();
    lcd_say("HOST LOST", "no signal for 2s");
}

void session_start(void)
{
    boot_id = eeprom_read_word(&boots) + 1;
    eeprom_update_word(&boots, boot_id);
    decoder_init(&decoder, packet, sizeof packet);
    strip_blank();
    lcd_say("CAMELOT REFEREE", "waiting for host");
    send_caps(0);
}

uint8_t session_is_open(void)
{
    return is_open;
}

void session_work(void)
{
    int16_t byte;

    while ((byte = uart_take()) >= 0) {
        enum decoded result = decoder_feed(&decoder, (uint8_t)byte);

        if (result == COMPLETE) {
            take_packet(decoder.length);
            break; /* so that what the packet changed is shown before the next one is looked at */
        }
        if (result == BROKEN) {
            packets_broken++;
            send_ack(0, BAD_CRC);
        }
    }
    if (!is_open)
        return;
    send_event();
    if (clock_since(heard_at) >= TICKS_MS(SILENCE_MS))
        show_host_lost();
}
