/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The referee display without the hardware: runs the unmodified firmware in libsimavr and shows what its pins do.
 *
 * board ELF MCU LEDS BAUD, then one command a line on standard input, one line of answer each on standard output:
 *   send HEX      the host writes bytes                          ok
 *   run NS        time goes on, to the end of a packet at most   ran <now ns> <bytes to the host, hex>
 *   state         everything that can be seen                    a JSON object
 *   pictures      what the strip latched since asked last        pictures <ns>:<rgb, hex> ...
 *   press N, release N, reset, hang, resume, unplug, plug        ok
 *   pty LINK      from now on time is real, and LINK is a serial port
 */
#define _GNU_SOURCE
#include <avr_extint.h>
#include <avr_ioport.h>
#include <poll.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "display.h"
#include "line.h"
#include "port.h"
#include "strip.h"
#include "wiring.h"

#define SLICE_NS 1000000
#define LATE_NS 50000000
#define PAINT 0xA5
#define RAM_START 0x200

static avr_t *avr;
static elf_firmware_t firmware;
static const struct wiring *wiring;
static struct line line;
static struct strip strip;
static struct display display;
static int buzzer, pressed[4];
static int frozen, unplugged;

static int is_real; /* time is, because there is a serial port */
static uint64_t real_origin_ns;

static void say_nothing(avr_t *who, const int level, const char *format, va_list arguments)
{
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, arguments);
    (void)who;
}

static void do_not_sleep(avr_t *who, avr_cycle_count_t cycles)
{
    (void)who;
    (void)cycles;
}

static void buzzer_changed(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    (void)param;
    buzzer = value & 1;
}

static void set_button(int i, int down)
{
    pressed[i] = down;
    avr_raise_irq(wiring_irq(avr, wiring->button[i]), !down);
}

static void reset(int power_was_off)
{
    strip_interrupted(&strip);
    if (power_was_off) {
        memset(avr->data + RAM_START, PAINT, avr->ramend - RAM_START);
        display_power_on(&display);
    }
    avr_reset(avr);
    /* Pins of the display are INT0 and INT1 as well; looking at their level each cycle makes a sleeping chip slow. */
    for (int i = 0; i < 2; i++)
        avr_extint_set_strict_lvl_trig(avr, (uint8_t)i, 0);
    line_reset(&line);
    for (int i = 0; i < 4; i++) {
        /* The chip's register is cleared, and a level that the pin has already is not passed on to it. */
        avr_raise_irq(wiring_irq(avr, wiring->button[i]), pressed[i]);
        set_button(i, pressed[i]);
    }
}

static void start(const char *elf, const char *mcu, int leds, uint32_t baud)
{
    wiring = wiring_of(mcu);
    avr_global_logger_set(say_nothing);
    if (!wiring || elf_read_firmware(elf, &firmware) || !(avr = avr_make_mcu_by_name(mcu))) {
        fprintf(stderr, "board: no such chip or firmware: %s %s\n", mcu, elf);
        exit(2);
    }
    avr_init(avr);
    avr->frequency = firmware.frequency = 16000000;
    avr_load_firmware(avr, &firmware);
    avr->sleep = do_not_sleep;
    avr->run_cycle_limit = 1000;
    line_attach(&line, avr, baud);
    strip_attach(&strip, avr, wiring_irq(avr, wiring->strip), leds);
    display_attach(&display, avr, wiring);
    avr_irq_register_notify(wiring_irq(avr, wiring->buzzer), buzzer_changed, NULL);
    reset(1);
}

/* Runs to the cycle, or with `stop_at_packet` to the end of a packet for the host. */
static void run_to(avr_cycle_count_t end, int stop_at_packet)
{
    line.packet_ended = 0;
    if (frozen || unplugged) {
        line.queue_at = line.queue_end;
        avr->cycle = end;
        return;
    }
    while (avr->cycle < end && !(stop_at_packet && line.packet_ended)) {
        int state = avr_run(avr);

        if (state == cpu_Crashed || state == cpu_Done) {
            fprintf(stderr, "board: the firmware crashed at pc %#x\n", avr->pc);
            exit(3);
        }
    }
}

static void print_hex(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
}

/* Bytes of RAM that nothing has touched since power came: what lies between the variables and the deepest stack. */
static int ram_never_used(void)
{
    int longest = 0, count = 0;

    for (int i = RAM_START; i < avr->ramend; i++) {
        count = avr->data[i] == PAINT ? count + 1 : 0;
        if (count > longest)
            longest = count;
    }
    return longest;
}

static void print_state(void)
{
    char first[17], second[17];

    strip_settle(&strip);
    display_row(&display, 0, first);
    display_row(&display, 1, second);
    printf("{\"t_ns\": %llu, \"rgb\": \"", (unsigned long long)in_ns(avr->cycle));
    print_hex(strip.rgb, 3 * (size_t)strip.leds);
    printf("\", \"latches\": %llu, \"text\": [\"%s\", \"%s\"], \"buzzer\": %d, \"overruns\": %u",
           (unsigned long long)strip.latches, first, second, buzzer, line.overruns);
    printf(", \"pulse_faults\": %u, \"pulse_fault\": \"%s\", \"display_faults\": %u, \"display_fault\": \"%s\"",
           strip.faults, strip.fault, display.faults, display.fault);
    printf(", \"high_0_ns\": [%llu, %llu], \"high_1_ns\": [%llu, %llu], \"gap_ns\": %llu, \"ram_never_used\": %d}\n",
           (unsigned long long)strip.shortest_high_0, (unsigned long long)strip.longest_high_0,
           (unsigned long long)strip.shortest_high_1, (unsigned long long)strip.longest_high_1,
           (unsigned long long)strip.longest_gap, ram_never_used());
}

/* The pictures latched since this was asked last, "ns:rgb", oldest first; at most STRIP_KEPT. */
static void print_pictures(void)
{
    strip_settle(&strip);
    if (strip.latches - strip.told > STRIP_KEPT)
        strip.told = strip.latches - STRIP_KEPT;
    printf("pictures");
    for (; strip.told < strip.latches; strip.told++) {
        const struct picture *picture = &strip.kept[strip.told % STRIP_KEPT];

        printf(" %llu:", (unsigned long long)in_ns(picture->at));
        print_hex(picture->rgb, 3 * (size_t)strip.leds);
    }
    printf("\n");
}

static uint64_t real_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void unplug(void)
{
    unplugged = 1;
    port_vanish();
}

static void plug(void)
{
    unplugged = frozen = 0;
    reset(1);
    if (is_real)
        port_appear();
}

static void send_hex(const char *hex)
{
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        uint8_t one = (uint8_t)byte;
        line_write(&line, &one, 1);
    }
}

static void run_command(const char *text)
{
    run_to(avr->cycle + strtoull(text, NULL, 10) * 2 / 125, 1);
    printf("ran %llu ", (unsigned long long)in_ns(avr->cycle));
    print_hex(line.out, line.out_count);
    printf("\n");
    line.out_count = 0;
}

static void obey(const char *command)
{
    if (!strncmp(command, "run ", 4)) {
        run_command(command + 4);
        return;
    }
    if (!strcmp(command, "state")) {
        print_state();
        return;
    }
    if (!strcmp(command, "pictures")) {
        print_pictures();
        return;
    }
    if (!strncmp(command, "send ", 5)) {
        send_hex(command + 5);
    } else if (!strncmp(command, "press ", 6)) {
        set_button(atoi(command + 6) & 3, 1);
    } else if (!strncmp(command, "release ", 8)) {
        set_button(atoi(command + 8) & 3, 0);
    } else if (!strcmp(command, "reset")) {
        frozen = 0;
        reset(0);
    } else if (!strcmp(command, "hang")) {
        frozen = 1;
    } else if (!strcmp(command, "resume")) {
        frozen = 0;
    } else if (!strcmp(command, "unplug")) {
        unplug();
    } else if (!strcmp(command, "plug")) {
        plug();
    } else if (!strncmp(command, "pty ", 4)) {
        port_name(command + 4);
        port_appear();
        is_real = 1;
        real_origin_ns = real_ns() - in_ns(avr->cycle);
    } else {
        printf("unknown command\n");
        return;
    }
    printf("ok\n");
}

/* Lets simulated time catch up with real time; what cannot be made up is let go. */
static void follow_real_time(void)
{
    uint64_t now = real_ns() - real_origin_ns;

    port_exchange(&line);
    if (now > in_ns(avr->cycle) + LATE_NS) {
        real_origin_ns += now - in_ns(avr->cycle) - LATE_NS;
        now = in_ns(avr->cycle) + LATE_NS;
    }
    while (in_ns(avr->cycle) < now) {
        uint64_t slice = now - in_ns(avr->cycle);

        run_to(avr->cycle + (slice < SLICE_NS ? slice : SLICE_NS) * 2 / 125 + 1, 0);
        port_exchange(&line);
    }
}

int main(int argc, char **argv)
{
    static char text[2 * LINE_QUEUE];
    size_t length = 0;

    if (argc != 5) {
        fprintf(stderr, "usage: board ELF MCU LEDS BAUD\n");
        return 2;
    }
    start(argv[1], argv[2], atoi(argv[3]), (uint32_t)atoi(argv[4]));
    setvbuf(stdout, NULL, _IOFBF, sizeof text);
    for (;;) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        char *end;

        if (poll(&input, 1, is_real ? 1 : -1) > 0) {
            ssize_t count = read(0, text + length, sizeof text - length);

            if (count <= 0)
                break;
            length += (size_t)count;
            while ((end = memchr(text, '\n', length))) {
                *end = 0;
                obey(text);
                length -= (size_t)(end + 1 - text);
                memmove(text, end + 1, length);
            }
            fflush(stdout);
        }
        if (is_real)
            follow_real_time();
    }
    port_vanish();
    return 0;
}
