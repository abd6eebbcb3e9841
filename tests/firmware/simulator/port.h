/* SPDX-License-Identifier: GPL-3.0-or-later
 * The board's serial port on this machine: a pseudo terminal behind a link that comes and goes with the cable. */
#ifndef PORT_H
#define PORT_H

#include "line.h"

void port_name(const char *path);
void port_appear(void);
void port_vanish(void);

/* Moves bytes between the port and the line, and takes over the rate that the host has set. */
void port_exchange(struct line *line);

#endif
