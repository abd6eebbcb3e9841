/* The serial line: what comes in waits in a ring, what goes out is waited for. */
#ifndef UART_H
#define UART_H

#include <avr/io.h>
#include <stdint.h>

#include "config.h"

/* All that can arrive at 500,000 baud (50 bytes a millisecond) while the strip is written (34 us an LED) and before. */
#define RING_BYTES (LEDS * 7 / 4 + 64)

extern uint8_t uart_ring[RING_BYTES];
extern uint8_t *volatile uart_head;
extern uint8_t *volatile uart_tail;
extern volatile uint16_t uart_overruns;

void uart_start(void);

/* The next byte, or -1. */
int16_t uart_take(void);

void uart_send(const uint8_t *bytes, uint8_t length);

/* Moves a received byte into the ring. For the interrupt, and for the strip while interrupts are off: always inline,
 * because a strip takes 5 us of low for the end of the picture. */
static inline __attribute__((always_inline)) void uart_poll(void)
{
    uint8_t status = UCSR0A;

    if (status & _BV(RXC0)) {
        uint8_t *head = uart_head;
        uint8_t *next = head + 1;

        *head = UDR0;
        if (next == uart_ring + RING_BYTES)
            next = uart_ring;
        if (next != uart_tail)
            uart_head = next;
        else
            status |= _BV(DOR0);
        if (status & _BV(DOR0))
            uart_overruns++;
    }
}

#endif
