/* What differs between builds: the strip, the line, the current, and where things are wired. docs/hardware.md draws it. */
#ifndef CONFIG_H
#define CONFIG_H

#include <avr/io.h>

#ifndef LEDS
#define LEDS 160
#endif
#ifndef BAUD
#define BAUD 500000UL
#endif
/* What the power supply gives the strip; the host can lower it and never raise it. */
#ifndef MAX_MILLIAMPS
#define MAX_MILLIAMPS 2000
#endif
#define NAME "camelot-referee"

#define TEXT_ROWS 2
#define TEXT_COLS 16
#define BUTTONS 4 /* confirm, undo, hint, pause */

#if defined(__AVR_ATmega328P__)
#if LEDS > 176
#error "the 2 KB of an ATmega328P hold 176 LEDs with their packet; use an ATmega2560"
#endif
#define STRIP_PORT PORTD
#define STRIP_DDR DDRD
#define STRIP_BIT PD6
#define LCD_CONTROL_PORT PORTB
#define LCD_CONTROL_DDR DDRB
#define LCD_RS PB4
#define LCD_E PB3
/* D4..D7 of the display, mirrored: Arduino pins 5, 4, 3, 2. */
#define LCD_DATA_PORT PORTD
#define LCD_DATA_DDR DDRD
#define LCD_D4 PD5
#define LCD_D5 PD4
#define LCD_D6 PD3
#define LCD_D7 PD2
#define BUTTON_PORT PORTC
#define BUTTON_PIN PINC
#define BUZZER_PORT PORTB
#define BUZZER_DDR DDRB
#define BUZZER_BIT PB1
#define UART_RECEIVED_vect USART_RX_vect
#elif defined(__AVR_ATmega2560__)
#if LEDS > 512
#error "the strip of an ATmega2560 is limited to 512 LEDs: a longer one blanks the buttons for too long"
#endif
#define STRIP_PORT PORTA
#define STRIP_DDR DDRA
#define STRIP_BIT PA0
#define LCD_CONTROL_PORT PORTA
#define LCD_CONTROL_DDR DDRA
#define LCD_RS PA2
#define LCD_E PA3
#define LCD_DATA_PORT PORTA
#define LCD_DATA_DDR DDRA
#define LCD_D4 PA4
#define LCD_D5 PA5
#define LCD_D6 PA6
#define LCD_D7 PA7
#define BUTTON_PORT PORTF
#define BUTTON_PIN PINF
#define BUZZER_PORT PORTB
#define BUZZER_DDR DDRB
#define BUZZER_BIT PB4
#define UART_RECEIVED_vect USART0_RX_vect
#else
#error "no wiring for this chip"
#endif

#endif
