#include "uart.h"

#include <avr/interrupt.h>

#define DIVISOR ((F_CPU + BAUD * 4UL) / (BAUD * 8UL) - 1)

uint8_t uart_ring[RING_BYTES];
uint8_t *volatile uart_head = uart_ring;
uint8_t *volatile uart_tail = uart_ring;
volatile uint16_t uart_overruns;

ISR(UART_RECEIVED_vect)
{
    uart_poll();
}

void uart_start(void)
{
    UBRR0 = DIVISOR;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

int16_t uart_take(void)
{
    uint8_t *tail;
    uint8_t *head;
    uint8_t byte;

    cli(); /* a pointer is two bytes, and the interrupt writes one of them */
    tail = uart_tail;
    head = uart_head;
    sei();
    if (tail == head)
        return -1;
    byte = *tail++;
    if (tail == uart_ring + RING_BYTES)
        tail = uart_ring;
    cli();
    uart_tail = tail;
    sei();
    return byte;
}

void uart_send(const uint8_t *bytes, uint8_t length)
{
    while (length--) {
        while (!(UCSR0A & _BV(UDRE0)))
            ;
        UDR0 = *bytes++;
    }
}
