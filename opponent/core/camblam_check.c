/* Whether a king of Camblam can be captured: looked up from the king outward. */

#include "camblam.h"

#include <stdlib.h>

/* Whether the knight on `from` reaches `to` by one of its legs along `way`. */
static bool leg_reaches(const Tables *t, const Pos *p, int from, int to, int way, int seat, Cells *watched) {
    const Camblam *c = data(t);
    bool straight = way < ORTHOGONAL;
    int least = !straight ? LEG : c->first_leg ? c->first_leg : 1;
    int most = !straight ? LEG : c->first_leg ? c->first_leg : c->length[from][way];
    for (int n = 0; n < most && n < c->length[from][way]; n++) {
        int corner = c->line[from][way][n];
        if (t->seat_of[p->at[corner]] == seat) {
            put(watched, corner);
            return false;
        }
        if (n + 1 < least) continue;
        int dx = abs(c->x[to] - c->x[corner]), dy = abs(c->y[to] - c->y[corner]);
        if (straight ? dx == 1 && dy == 1 : dx + dy == 1) return true;
    }
    return false;
}

static int sign(int n) { return (n > 0) - (n < 0); }

/* Whether nothing stands on the straight line between two cells. */
static bool open_between(const Tables *t, const Pos *p, int from, int to, Cells *watched) {
    const Camblam *c = data(t);
    int dx = c->x[to] - c->x[from], dy = c->y[to] - c->y[from];
    int way = c->way[sign(dx) + 1][sign(dy) + 1], far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int n = 0; n < far - 1; n++) {
        int cell = c->line[from][way][n];
        put(watched, cell);
        if (p->at[cell]) return false;
    }
    return true;
}

/* Whether the prince on `from` reaches `to`: along a rank or file, then along a diagonal. */
static bool prince_reaches(const Tables *t, const Pos *p, int from, int to, Cells *watched) {
    const Camblam *c = data(t);
    int x = c->x[from], y = c->y[from], dx = c->x[to] - x, dy = c->y[to] - y;
    if (c->prince_zero && (!dx || !dy) && open_between(t, p, from, to, watched)) return true;
    for (int turn = -1; turn <= 1; turn += 2) {
        int corners[2] = {dy ? cell_at(c, c->x[to] + turn * dy, y) : -1,
                          dx ? cell_at(c, x, c->y[to] + turn * dx) : -1};
        for (int i = 0; i < 2; i++) {
            int corner = corners[i];
            if (corner < 0 || (corner == from && !c->prince_zero)) continue;
            if (corner != from) {
                put(watched, corner);
                if (p->at[corner] || !open_between(t, p, from, corner, watched)) continue;
            }
            if (open_between(t, p, corner, to, watched)) return true;
        }
    }
    return false;
}

/* Whether the other side could capture the king on `king`; marks in `watched` what the answer rests on. */
static bool attacked(const Tables *t, const Pos *p, int king, int seat, const Cells *turners, unsigned ways,
                     Cells *watched) {
    const Camblam *c = data(t);
    int enemy = 1 - seat;
    for (; ways; ways &= ways - 1) {
        int way = __builtin_ctz(ways);
        bool shielded = false, gap = false;
        for (int n = 0; n < c->length[king][way]; n++) {
            int cell = c->line[king][way][n], piece = p->at[cell], kind = c->kind[piece];
            put(watched, cell);
            if (!piece) {
                gap = true;
                continue;
            }
            if (t->seat_of[piece] == seat) {
                if (gap) break;
                shielded = true; /* a run goes through it, a shot does not */
                continue;
            }
            if (runs(kind, way)) return true;
            if (kind == ARCHER && n < c->archer_range && !shielded) return true;
            if (n == 0 && steps(kind, way) && step_captures(c, kind)) return true;
            if (n == 0 && kind == PAWN && WAY_X[way] && WAY_Y[way] == -forward(enemy)) return true;
            break;
        }
    }
    FOR_CELLS(cell, turners) {
        int piece = p->at[cell], kind = c->kind[piece];
        if (t->seat_of[piece] != enemy) continue; /* it was just taken */
        if (kind == HORSE) {
            if (!c->leap[abs(c->x[cell] - c->x[king])][abs(c->y[cell] - c->y[king])]) continue;
            put(watched, cell);
            for (int way = 0; way < WAYS; way++)
                if (leg_reaches(t, p, cell, king, way, enemy, watched)) return true;
        } else if (kind == PRINCE) {
            put(watched, cell);
            if (prince_reaches(t, p, cell, king, watched)) return true;
        }
    }
    return false;
}

Cells camblam_kings(const Tables *t, const Pos *p, int seat) {
    Cells kings = {{0}};
    FOR_CELLS(cell, &p->of[seat]) {
        if (data(t)->kind[p->at[cell]] == KING) put(&kings, cell);
    }
    return kings;
}

Cells camblam_turners(const Tables *t, const Pos *p, int seat) {
    Cells turners = {{0}};
    FOR_CELLS(cell, &p->of[seat]) {
        int kind = data(t)->kind[p->at[cell]];
        if (kind == HORSE || kind == PRINCE) put(&turners, cell);
    }
    return turners;
}

/* The ways from `king` on which `cell` lies, as bits: one or none. */
static unsigned way_to(const Camblam *c, int king, int cell) {
    int dx = c->x[cell] - c->x[king], dy = c->y[cell] - c->y[king];
    if (dx && dy && abs(dx) != abs(dy)) return 0;
    return 1u << c->way[sign(dx) + 1][sign(dy) + 1];
}

bool camblam_in_check(const Tables *t, const Pos *p, int seat, const Cells *kings, const Cells *turners, const Move *made,
                      Cells *watched) {
    FOR_CELLS(king, kings) {
        unsigned ways = (1u << WAYS) - 1;
        if (made) {
            ways = way_to(data(t), king, made->from) | way_to(data(t), king, made->to);
            FOR_CELLS(cell, &made->taken) ways |= way_to(data(t), king, cell);
        }
        if (attacked(t, p, king, seat, turners, ways, watched)) return true;
    }
    return false;
}
