/* The referee display: one loop over parts that never wait long, asleep when nothing is to be done. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "buttons.h"
#include "buzzer.h"
#include "clock.h"
#include "host_session.h"
#include "lcd.h"
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

/* A loop that has not come round for half a second starts anew, by the watchdog's interrupt and not by its reset: the
 * bootloader of older Nanos leaves the watchdog running after one, and never gets out of it again. */
ISR(WDT_vect)
{
    wdt_disable();
    __asm__ volatile("jmp 0");
}

static void watch_loop(void)
{
    MCUSR = 0;
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDP2) | _BV(WDP0);
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
    wdt_disable();
    clock_start();
    uart_start();
    strip_start();
    buttons_start();
    buzzer_start();
    lcd_start();
    wake_each_millisecond();
    watch_loop();
    sei();
    session_start();
    for (;;) {
        wdt_reset();
        session_work();
        strip_work();
        buttons_work(session_is_open());
        lcd_work();
        buzzer_work();
        sleep_until_interrupt();
    }
}
