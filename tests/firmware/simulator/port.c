/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "port.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* An adapter takes no more than this from the host before the wire has carried it off. */
#define ADAPTER_BYTES 128

static char *link_path;
static int master = -1, slave = -1;

void port_name(const char *path)
{
    link_path = strdup(path);
}

void port_appear(void)
{
    struct termios raw;

    if (openpty(&master, &slave, NULL, NULL, NULL)) {
        perror("board: openpty");
        exit(2);
    }
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    unlink(link_path);
    if (symlink(ttyname(slave), link_path)) {
        perror("board: symlink");
        exit(2);
    }
}

void port_vanish(void)
{
    if (master < 0)
        return;
    unlink(link_path);
    close(slave);
    close(master);
    master = slave = -1;
}

/* The rate that the host set on the port, in bits per second. */
static uint32_t baud(uint32_t otherwise)
{
    static const struct { speed_t speed; uint32_t baud; } rates[] = {
        {B9600, 9600}, {B57600, 57600}, {B115200, 115200}, {B230400, 230400}, {B500000, 500000}, {B1000000, 1000000}};
    struct termios settings;

    tcgetattr(master, &settings);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].speed == cfgetospeed(&settings))
            return rates[i].baud;
    return otherwise;
}

void port_exchange(struct line *line)
{
    uint8_t bytes[ADAPTER_BYTES];
    ssize_t count;

    if (master < 0) {
        line->out_count = 0;
        return;
    }
    line->host_baud = baud(line->host_baud);
    if (line_queued(line) < ADAPTER_BYTES) {
        count = read(master, bytes, ADAPTER_BYTES - line_queued(line));
        if (count > 0)
            line_write(line, bytes, (size_t)count);
    }
    if (line->out_count)
        count = write(master, line->out, line->out_count); /* what nobody reads, an adapter drops as well */
    line->out_count = 0;
}
