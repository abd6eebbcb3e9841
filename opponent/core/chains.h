/* The set of the chains of jumps that were met while one piece's captures are listed; it grows as it must.

A chain is (cell, taken), so n pieces of others make at most 2^n times the cells: a few dozen in most positions, tens of
thousands on a dense board of 26 directions. A few are looked through, more are found by their slots. */

#ifndef OPPONENT_CHAINS_H
#define OPPONENT_CHAINS_H

#include "core.h"

#include <stdlib.h>
#include <string.h>

/* 160 MB of chains. No position that play can reach comes near it (docs/engines.md, Fuzzing the core). */
#define MOST_CHAINS (1 << 22)

typedef struct {
    Cells taken;
    int cell;
} Chain;

enum { FEW = 64 };
typedef struct {
    Chain *met, first[FEW];
    uint32_t *slots; /* 0 for none, else the place in `met` plus one; twice as many as there is room, none while few */
    int length, room;
} Chains;

static inline void chains_free(Chains *c) {
    if (c->slots) free(c->met), free(c->slots);
}

static inline uint32_t *slot_of(const Chains *c, const Chain *chain) {
    uint64_t hash = mix(chain->taken.w[0] ^ mix(chain->taken.w[1] ^ mix(chain->taken.w[2] ^ (uint64_t)chain->cell << 56)));
    uint32_t mask = 2 * (uint32_t)c->room - 1, at = (uint32_t)hash & mask;
    while (c->slots[at]) {
        const Chain *other = &c->met[c->slots[at] - 1];
        if (other->cell == chain->cell && same(&other->taken, &chain->taken)) break;
        at = (at + 1) & mask;
    }
    return &c->slots[at];
}

/* Makes room for more; false, with all as it was, when memory ends. */
static inline bool chains_grow(Chains *c) {
    int room = c->slots ? 2 * c->room : 16 * FEW;
    if (room > MOST_CHAINS) return false;
    Chain *met = malloc(sizeof(Chain) * (size_t)room);
    uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);
    if (!met || !slots) {
        free(met), free(slots);
        return false;
    }
    memcpy(met, c->met, sizeof(Chain) * (size_t)c->length);
    chains_free(c);
    c->met = met, c->slots = slots, c->room = room;
    for (int i = 0; i < c->length; i++) *slot_of(c, &met[i]) = (uint32_t)i + 1;
    return true;
}

/* Keeps a chain unless it was met before; false when there is no room for it. */
static inline bool chains_put(Chains *c, const Chain *chain) {
    if (!c->slots) {
        for (int i = c->length; i--;)
            if (c->met[i].cell == chain->cell && same(&c->met[i].taken, &chain->taken)) return true;
    } else if (*slot_of(c, chain)) {
        return true;
    }
    if (c->length == c->room && !chains_grow(c)) return false;
    c->met[c->length++] = *chain;
    if (c->slots) *slot_of(c, chain) = (uint32_t)c->length;
    return true;
}

#endif
