/* Placements: played, summed and counted; the same for every game. */

#include "core.h"

#include <stdlib.h>
#include <string.h>

void position_finish(const Tables *t, Pos *p) {
    memset(p->of, 0, sizeof p->of);
    memset(p->worth, 0, sizeof p->worth);
    p->key = t->zobrist_seat[p->seat];
    for (int cell = 0; cell < t->cells; cell++) {
        int piece = p->at[cell];
        if (piece) {
            int seat = t->seat_of[piece];
            put(&p->of[seat], cell);
            p->worth[seat] += t->worth[piece][cell];
            p->key ^= t->zobrist[piece][cell];
        }
    }
    for (int seat = 0; seat < t->seats; seat++) p->key ^= t->zobrist_used[seat][p->used[seat] & 15];
}

static void lift(const Tables *t, Pos *p, int cell) {
    int piece = p->at[cell], seat = t->seat_of[piece];
    p->at[cell] = 0;
    drop(&p->of[seat], cell);
    p->worth[seat] -= t->worth[piece][cell];
    p->key ^= t->zobrist[piece][cell];
}

void position_move(const Tables *t, Pos *p, const Move *move) {
    int piece = p->at[move->from], seat = t->seat_of[piece];
    lift(t, p, move->from);
    FOR_CELLS(cell, &move->taken) lift(t, p, cell);
    if (move->becomes) piece = move->becomes;
    p->at[move->to] = (uint8_t)piece;
    put(&p->of[seat], move->to);
    p->worth[seat] += t->worth[piece][move->to];
    p->key ^= t->zobrist[piece][move->to];
}

void position_turn(const Tables *t, Pos *p, int seat) {
    p->key ^= t->zobrist_seat[p->seat] ^ t->zobrist_seat[seat];
    p->seat = (uint8_t)seat;
}

#define MOST_RESULTS (1 << 22)

uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

Move *list_all(const Tables *t, const Pos *p, int *count) {
    for (int room = 1024; room <= MOST_RESULTS; room *= 2) {
        Move *moves = malloc(sizeof(Move) * (size_t)room);
        *count = moves ? t->list(t, p, moves, room) : NO_MEMORY;
        if (*count >= 0) return moves;
        free(moves);
        if (*count == NO_MEMORY) break;
    }
    return NULL;
}

uint64_t perft(const Tables *t, const Pos *p, int depth, bool *full) {
    if (depth == 0) return 1;
    int count;
    Move *moves = list_all(t, p, &count);
    uint64_t total = 0;
    if (!moves) {
        *full = true;
    } else if (depth == 1) {
        total = (uint64_t)count;
    } else {
        for (int i = 0; i < count && !*full; i++) {
            Pos after = *p;
            t->play(t, &after, &moves[i]);
            total += perft(t, &after, depth - 1, full);
        }
    }
    free(moves);
    return total;
}
