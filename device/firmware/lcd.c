#include "lcd.h"

#include <avr/io.h>
#include <string.h>
#include <util/delay.h>

#include "clock.h"
#include "config.h"

#define ROW_ADDRESS 0x40
#define SET_ADDRESS 0x80
/* The controller needs 37 us for a character at 270 kHz and 53 at the slowest clock of its data sheet. */
#define CHARACTER_US 60
#define NOWHERE 0xFF

static char wanted[TEXT_ROWS * TEXT_COLS];
static char shown[TEXT_ROWS * TEXT_COLS];
static uint8_t cursor = NOWHERE;
static uint8_t looked_at;
static uint8_t differs; /* some character may have to be written */
static ticks written_at;

static void put_nibble(uint8_t nibble)
{
    LCD_DATA_PORT &= (uint8_t) ~(_BV(LCD_D4) | _BV(LCD_D5) | _BV(LCD_D6) | _BV(LCD_D7));
    if (nibble & 1)
        LCD_DATA_PORT |= _BV(LCD_D4);
    if (nibble & 2)
        LCD_DATA_PORT |= _BV(LCD_D5);
    if (nibble & 4)
        LCD_DATA_PORT |= _BV(LCD_D6);
    if (nibble & 8)
        LCD_DATA_PORT |= _BV(LCD_D7);
    LCD_CONTROL_PORT |= _BV(LCD_E);
    _delay_us(1);
    LCD_CONTROL_PORT &= (uint8_t)~_BV(LCD_E);
    _delay_us(1);
}

static void put_byte(uint8_t byte, uint8_t is_text)
{
    if (is_text)
        LCD_CONTROL_PORT |= _BV(LCD_RS);
    else
        LCD_CONTROL_PORT &= (uint8_t)~_BV(LCD_RS);
    put_nibble(byte >> 4);
    put_nibble(byte & 0x0F);
    written_at = clock_now();
}

static void command(uint8_t byte)
{
    put_byte(byte, 0);
    _delay_us(CHARACTER_US);
}

void lcd_start(void)
{
    LCD_CONTROL_DDR |= _BV(LCD_RS) | _BV(LCD_E);
    LCD_DATA_DDR |= _BV(LCD_D4) | _BV(LCD_D5) | _BV(LCD_D6) | _BV(LCD_D7);
    /* The "initialising by instruction" of the data sheet, figure 24. */
    _delay_ms(50);
    put_nibble(3);
    _delay_ms(5);
    put_nibble(3);
    _delay_us(150);
    put_nibble(3);
    _delay_us(150);
    put_nibble(2);
    _delay_us(150);
    command(0x28); /* four lines of data, two rows */
    command(0x0C); /* on, no cursor */
    command(0x06); /* the cursor moves right */
    command(0x01); /* clear */
    _delay_ms(2);
    memset(shown, ' ', sizeof shown);
    memset(wanted, ' ', sizeof wanted);
}

void lcd_put(uint8_t row, uint8_t col, const char *text, uint8_t length)
{
    memcpy(wanted + row * TEXT_COLS + col, text, length);
    differs = 1;
}

void lcd_say(const char *first, const char *second)
{
    memset(wanted, ' ', sizeof wanted);
    lcd_put(0, 0, first, strlen(first));
    lcd_put(1, 0, second, strlen(second));
}

void lcd_work(void)
{
    uint8_t i;

    if (!differs || clock_since(written_at) <= TICKS_US(CHARACTER_US))
        return;
    for (i = 0; i < sizeof wanted && wanted[looked_at] == shown[looked_at]; i++)
        looked_at = (looked_at + 1) % sizeof wanted;
    if (i == sizeof wanted) {
        differs = 0;
        return;
    }
    if (cursor != looked_at) {
        put_byte(SET_ADDRESS | (looked_at / TEXT_COLS * ROW_ADDRESS + looked_at % TEXT_COLS), 0);
        cursor = looked_at;
        return;
    }
    put_byte(wanted[looked_at], 1);
    shown[looked_at] = wanted[looked_at];
    /* At the end of a row the controller goes on into characters that no glass shows. */
    cursor = (looked_at + 1) % TEXT_COLS ? looked_at + 1 : NOWHERE;
}
