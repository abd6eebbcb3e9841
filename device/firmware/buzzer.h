/* A buzzer that sounds by itself while its pin is high. */
#ifndef BUZZER_H
#define BUZZER_H

#include <stdint.h>

void buzzer_start(void);

/* Sounds for that many hundredths of a second; 0 ends it. */
void buzzer_sound(uint8_t hundredths);

void buzzer_work(void);

#endif
