/* SPDX-License-Identifier: GPL-3.0-or-later
 * The serial line and the USART at its end, as the data sheet has them: bytes take their time on the wire, two wait in
 * the receiver and a third in its shift register, the next start bit destroys that one. libsimavr's own USART has
 * room for 64 bytes and would hide what is lost. */
#ifndef LINE_H
#define LINE_H

#include <sim_avr.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_QUEUE 65536

struct line {
    avr_t *avr;
    struct avr_uart_t *uart;
    uint32_t host_baud;

    uint8_t queue[LINE_QUEUE]; /* from the host, not on the wire yet */
    size_t queue_at, queue_end;
    uint8_t on_wire;
    int receiving;

    uint8_t fifo[2];
    int fifo_count;
    uint8_t shift;
    int shift_full;
    uint8_t overrun_flag;
    unsigned overruns;

    uint8_t sending, waiting;
    int is_sending, is_waiting;

    uint8_t out[LINE_QUEUE]; /* to the host */
    size_t out_count;
    int packet_ended; /* a zero byte came out */
};

/* Takes the first USART of `avr` over. */
void line_attach(struct line *line, avr_t *avr, uint32_t host_baud);

/* After avr_reset: nothing waits, nothing is on the wire. */
void line_reset(struct line *line);

/* Bytes that the host writes; what does not fit is lost, as in an adapter. */
void line_write(struct line *line, const uint8_t *bytes, size_t count);

size_t line_queued(const struct line *line);

#endif
