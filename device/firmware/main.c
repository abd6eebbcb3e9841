/* The referee display: one loop over parts that never wait long, asleep when nothing is to be done. */
#include <avr/interrupt.h>
#include <avr/sleep.h>

#include "buttons.h"
#include "buzzer.h"
#include "clock.h"
#include "lcd.h"
#include "session.h"
#include "strip.h"
#include "uart.h"

/* Wakes the loop each millisecond, for the buttons and the text; the clock itself needs no interrupt. */
EMPTY_INTERRUPT(TIMER0_COMPA_vect)

static void wake_each_millisecond(void)
{
    OCR0A = F_CPU / 64 / 1000 - 1;
    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01) | _BV(CS00);
    TIMSK0 = _BV(OCIE0A);
}

static void sleep_until_interrupt(void)
{
    cli();
    if (uart_head == uart_tail) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

int main(void)
{
    clock_start();
    uart_start();
    strip_start();
    buttons_start();
    buzzer_start();
    lcd_start();
    wake_each_millisecond();
    sei();
    session_start();
    for (;;) {
        session_work();
        strip_work();
        buttons_work(session_is_open());
        lcd_work();
        buzzer_work();
        sleep_until_interrupt();
    }
}
