/* HD44780, 16 x 2 characters, four data lines, never read: one character a pass, so nothing waits for it. */
#ifndef LCD_H
#define LCD_H

#include <stdint.h>

/* Takes about 60 ms: the display wakes up slowly. */
void lcd_start(void);

/* Puts `length` characters at a place of the picture of the text; lcd_work brings them to the glass. */
void lcd_put(uint8_t row, uint8_t col, const char *text, uint8_t length);

/* Clears the picture and puts a line into each row (both end with a zero byte). */
void lcd_say(const char *first, const char *second);

void lcd_work(void);

#endif
