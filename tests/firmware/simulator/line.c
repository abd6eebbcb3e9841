/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line.h"

#include <avr_uart.h>
#include <sim_interrupts.h>
#include <sim_regbit.h>
#include <string.h>

#define TXC 0x40
#define UDRE 0x20
#define FRAME_ERROR 0x10
#define OVERRUN 0x08
#define U2X 0x02
/* Beyond this share a receiver samples the stop bit outside of it (data sheet, table "recommended maximum error"). */
#define BAUD_TOLERANCE 0.045

static double device_bit(const struct line *line)
{
    const uint8_t *data = line->avr->data;
    unsigned divisor = (data[line->uart->ubrrl.reg] | (data[line->uart->ubrrh.reg] & 0x0F) << 8) + 1;

    return divisor * (data[line->uart->r_ucsra] & U2X ? 8.0 : 16.0);
}

static double host_bit(const struct line *line)
{
    return (double)line->avr->frequency / line->host_baud;
}

static int bauds_differ(const struct line *line)
{
    double ratio = host_bit(line) / device_bit(line);

    return ratio < 1 - BAUD_TOLERANCE || ratio > 1 + BAUD_TOLERANCE;
}

/* What a receiver at another rate makes of a byte. */
static uint8_t garbled(uint8_t byte)
{
    return (uint8_t)((byte * 37 + 113) ^ (byte >> 3));
}

/* Raises without filling libsimavr's queue while interrupts are off and the firmware polls. */
static void raise_once(avr_t *avr, avr_int_vector_t *vector)
{
    avr_int_pending_t *pending = &avr->interrupts.pending;

    for (unsigned i = pending->read; i != pending->write; i = (i + 1) % avr_int_pending_fifo_size)
        if (pending->buffer[i] == vector) {
            vector->pending = 1;
            avr_regbit_set(avr, vector->raised);
            return;
        }
    avr_raise_interrupt(avr, vector);
}

static void show_received(struct line *line)
{
    avr_clear_interrupt(line->avr, &line->uart->rxc);
    avr_regbit_clear(line->avr, line->uart->rxc.raised);
    if (line->fifo_count)
        raise_once(line->avr, &line->uart->rxc);
}

static avr_cycle_count_t stop_bit(avr_t *avr, avr_cycle_count_t when, void *param);

static avr_cycle_count_t start_bit(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct line *line = param;

    if (line->shift_full) {
        line->shift_full = 0;
        line->overrun_flag = OVERRUN;
        line->overruns++;
    }
    avr_cycle_timer_register(avr, (avr_cycle_count_t)(9 * host_bit(line)), stop_bit, line);
    (void)when;
    return 0;
}

static void next_byte(struct line *line)
{
    if (line->queue_at == line->queue_end) {
        line->receiving = 0;
        return;
    }
    line->receiving = 1;
    line->on_wire = line->queue[line->queue_at++ % LINE_QUEUE];
    avr_cycle_timer_register(line->avr, (avr_cycle_count_t)host_bit(line), start_bit, line);
}

static avr_cycle_count_t stop_bit(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct line *line = param;
    uint8_t byte = bauds_differ(line) ? garbled(line->on_wire) : line->on_wire;

    (void)when;
    if (avr_regbit_get(avr, line->uart->rxen)) {
        if (line->fifo_count < 2) {
            line->fifo[line->fifo_count++] = byte;
            show_received(line);
        } else {
            line->shift = byte;
            line->shift_full = 1;
        }
    }
    next_byte(line);
    return 0;
}

static uint8_t read_data(avr_t *avr, avr_io_addr_t addr, void *param)
{
    struct line *line = param;

    if (line->fifo_count) {
        avr->data[addr] = line->fifo[0];
        line->fifo[0] = line->fifo[1];
        line->fifo_count--;
        if (line->shift_full) {
            line->fifo[line->fifo_count++] = line->shift;
            line->shift_full = 0;
        }
        line->overrun_flag = 0;
        show_received(line);
    }
    return avr->data[addr];
}

static uint8_t read_status(avr_t *avr, avr_io_addr_t addr, void *param)
{
    struct line *line = param;
    uint8_t errors = line->overrun_flag | (line->fifo_count && bauds_differ(line) ? FRAME_ERROR : 0);

    return (uint8_t)((avr->data[addr] & ~(OVERRUN | FRAME_ERROR)) | errors);
}

static void write_status(avr_t *avr, avr_io_addr_t addr, uint8_t value, void *param)
{
    (void)param;
    avr->data[addr] = (uint8_t)((avr->data[addr] & ~U2X & ~(value & TXC)) | (value & U2X));
}

static avr_cycle_count_t sent(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct line *line = param;
    uint8_t byte = bauds_differ(line) ? garbled(line->sending) : line->sending;

    if (line->out_count < LINE_QUEUE)
        line->out[line->out_count++] = byte;
    line->packet_ended |= byte == 0;
    line->is_sending = line->is_waiting;
    line->sending = line->waiting;
    line->is_waiting = 0;
    avr->data[line->uart->r_ucsra] |= line->is_sending ? UDRE : UDRE | TXC;
    return line->is_sending ? when + (avr_cycle_count_t)(10 * device_bit(line)) : 0;
}

static void write_data(avr_t *avr, avr_io_addr_t addr, uint8_t value, void *param)
{
    struct line *line = param;

    (void)addr;
    if (line->is_sending) {
        line->waiting = value;
        line->is_waiting = 1;
        avr->data[line->uart->r_ucsra] &= (uint8_t)~UDRE;
        return;
    }
    line->sending = value;
    line->is_sending = 1;
    avr_cycle_timer_register(avr, (avr_cycle_count_t)(10 * device_bit(line)), sent, line);
}

static void take_over(struct line *line, avr_io_addr_t address, avr_io_read_t read, avr_io_write_t write)
{
    int io = AVR_DATA_TO_IO(address);

    line->avr->io[io].r.c = read;
    line->avr->io[io].r.param = line;
    line->avr->io[io].w.c = write;
    line->avr->io[io].w.param = line;
}

void line_attach(struct line *line, avr_t *avr, uint32_t host_baud)
{
    memset(line, 0, sizeof *line);
    line->avr = avr;
    line->host_baud = host_baud;
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (!strcmp(io->kind, "uart") && ((avr_uart_t *)io)->name == '0')
            line->uart = (avr_uart_t *)io;
    take_over(line, line->uart->r_udr, read_data, write_data);
    take_over(line, line->uart->r_ucsra, read_status, write_status);
}

void line_reset(struct line *line)
{
    avr_cycle_timer_cancel(line->avr, start_bit, line);
    avr_cycle_timer_cancel(line->avr, stop_bit, line);
    avr_cycle_timer_cancel(line->avr, sent, line);
    line->queue_at = line->queue_end = 0;
    line->fifo_count = line->shift_full = line->is_sending = line->is_waiting = line->receiving = 0;
    line->avr->data[line->uart->r_ucsra] |= UDRE;
}

void line_write(struct line *line, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && line_queued(line) < LINE_QUEUE; i++)
        line->queue[line->queue_end++ % LINE_QUEUE] = bytes[i];
    if (!line->receiving)
        next_byte(line);
}

size_t line_queued(const struct line *line)
{
    return line->queue_end - line->queue_at;
}
