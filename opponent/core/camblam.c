/* Camblam: every lawful result. A move may not leave an own king capturable.

Whether a king can be captured is looked up from the king outward, and every cell that the answer was read from is marked.
A move that touches none of them leaves the answer as it was, so that only the others are looked at again. */

#include "camblam.h"

#include <stdlib.h>
#include <string.h>

static const int BECOMES[] = {QUEEN, ROOK, BISHOP, PRINCE, ARCHER, CATAPULT, HORSE};

typedef struct {
    const Tables *t;
    const Pos *p;
    Pos tried; /* a copy of the position on which a move is tried and taken back */
    Cells kings, turners, watched;
    bool check, full;
    Move *out;
    int count, room;
} List;

/* Whether no king can be captured after a move. */
static bool safe(List *l, const Move *move, bool king) {
    Pos *p = &l->tried;
    int seat = p->seat;
    Cells enemies = p->of[1 - seat], kings = l->kings, unused = {{0}};
    uint8_t piece = p->at[move->from];
    p->at[move->from] = 0;
    FOR_CELLS(cell, &move->taken) p->at[cell] = 0;
    for (int i = 0; i < WORDS; i++) p->of[1 - seat].w[i] &= ~move->taken.w[i];
    p->at[move->to] = piece;
    if (king) {
        drop(&kings, move->from);
        put(&kings, move->to);
    }
    const Move *made = king || l->check ? NULL : move;
    bool lawful = !camblam_in_check(l->t, p, seat, &kings, &l->turners, made, &unused);
    p->at[move->to] = l->p->at[move->to];
    FOR_CELLS(back, &move->taken) p->at[back] = l->p->at[back];
    p->at[move->from] = piece;
    p->of[1 - seat] = enemies;
    return lawful;
}

/* Adds a landing if it is lawful, a promotion to each kind if it is one. */
static void add(List *l, int from, int to, Cells taken) {
    const Tables *t = l->t;
    int piece = l->p->at[from], seat = l->p->seat, kind = data(t)->kind[piece];
    bool touches = kind == KING || has(&l->watched, from) || has(&l->watched, to);
    for (int i = 0; i < WORDS; i++) touches |= (taken.w[i] & l->watched.w[i]) != 0;
    Move move = {.from = (uint8_t)from, .to = (uint8_t)to, .taken = taken};
    if (touches) {
        if (!safe(l, &move, kind == KING)) return;
    } else if (l->check) {
        return;
    }
    bool promotes = kind == PAWN && data(t)->y[to] == data(t)->last_rank[seat];
    for (size_t i = 0; i < (promotes ? sizeof BECOMES / sizeof *BECOMES : 1); i++) {
        if (l->count >= l->room) {
            l->full = true;
            return;
        }
        move.becomes = promotes ? (uint8_t)(BECOMES[i] + seat * KINDS) : 0;
        l->out[l->count++] = move;
    }
}

static const Cells NOTHING = {{0}};

static Cells only(int cell) {
    Cells set = {{0}};
    put(&set, cell);
    return set;
}

static void runner(List *l, int from, int kind, int seat) {
    const Camblam *c = data(l->t);
    for (int way = 0; way < WAYS; way++) {
        if (steps(kind, way) && c->length[from][way]) {
            int to = c->line[from][way][0], piece = l->p->at[to];
            if (!piece) add(l, from, to, NOTHING);
            else if (l->t->seat_of[piece] != seat && step_captures(c, kind)) add(l, from, to, only(to));
        }
        if (!runs(kind, way)) continue;
        Cells taken = {{0}};
        int last = -1;
        for (int n = 0; n < c->length[from][way]; n++) {
            int to = c->line[from][way][n], piece = l->p->at[to];
            if (!piece) {
                if (last >= 0) break;
                add(l, from, to, NOTHING);
                continue;
            }
            if (l->t->seat_of[piece] == seat) break;
            put(&taken, to);
            last = to;
            if (!c->run_whole) add(l, from, to, taken);
        }
        if (c->run_whole && last >= 0) add(l, from, last, taken);
    }
}

static void pawn(List *l, int from, int seat) {
    const Camblam *c = data(l->t);
    int ahead = c->way[1][forward(seat) + 1];
    for (int n = 0; n < PAWN_REACH && n < c->length[from][ahead]; n++) {
        int to = c->line[from][ahead][n];
        if (l->p->at[to]) break;
        add(l, from, to, NOTHING);
    }
    for (int side = -1; side <= 1; side += 2) {
        int way = c->way[side + 1][forward(seat) + 1];
        if (!c->length[from][way]) continue;
        int to = c->line[from][way][0], piece = l->p->at[to];
        if (piece && l->t->seat_of[piece] != seat) add(l, from, to, only(to));
    }
}

static void end_on(List *l, int from, int seat, const Cells *ends) {
    FOR_CELLS(to, ends) {
        int piece = l->p->at[to];
        if (!piece) add(l, from, to, NOTHING);
        else if (l->t->seat_of[piece] != seat) add(l, from, to, only(to));
    }
}

static void horse(List *l, int from, int seat) {
    const Camblam *c = data(l->t);
    Cells ends = {{0}};
    for (int way = 0; way < WAYS; way++) {
        bool straight = way < ORTHOGONAL;
        int least = !straight ? LEG : c->first_leg ? c->first_leg : 1;
        int most = !straight ? LEG : c->first_leg ? c->first_leg : c->length[from][way];
        for (int n = 0; n < most && n < c->length[from][way]; n++) {
            int corner = c->line[from][way][n];
            if (l->t->seat_of[l->p->at[corner]] == seat) break;
            if (n + 1 < least) continue;
            for (int turn = straight ? ORTHOGONAL : 0; turn < (straight ? WAYS : ORTHOGONAL); turn++)
                if (c->length[corner][turn]) put(&ends, c->line[corner][turn][0]);
        }
    }
    end_on(l, from, seat, &ends);
}

static void archer(List *l, int from, int seat) {
    const Camblam *c = data(l->t);
    for (int way = 0; way < WAYS; way++) {
        for (int n = 0; n < c->length[from][way]; n++) {
            int to = c->line[from][way][n], piece = l->p->at[to];
            if (!piece) {
                add(l, from, to, NOTHING);
                continue;
            }
            if (l->t->seat_of[piece] != seat && n < c->archer_range) add(l, from, from, only(to));
            break;
        }
    }
}

static void slant(const List *l, int corner, Cells *ends) {
    const Camblam *c = data(l->t);
    for (int way = ORTHOGONAL; way < WAYS; way++) {
        for (int n = 0; n < c->length[corner][way]; n++) {
            int to = c->line[corner][way][n];
            put(ends, to);
            if (l->p->at[to]) break;
        }
    }
}

static void prince(List *l, int from, int seat) {
    const Camblam *c = data(l->t);
    Cells ends = {{0}};
    if (c->prince_zero) slant(l, from, &ends);
    for (int way = 0; way < ORTHOGONAL; way++) {
        for (int n = 0; n < c->length[from][way]; n++) {
            int corner = c->line[from][way][n];
            if (c->prince_zero) put(&ends, corner);
            if (l->p->at[corner]) break;
            slant(l, corner, &ends);
        }
    }
    end_on(l, from, seat, &ends);
}

static int list(const Tables *t, const Pos *p, Move *out, int room) {
    int seat = p->seat;
    List l = {.t = t, .p = p, .tried = *p, .kings = camblam_kings(t, p, seat), .out = out, .room = room};
    l.turners = camblam_turners(t, p, 1 - seat);
    l.check = camblam_in_check(t, p, seat, &l.kings, &l.turners, NULL, &l.watched);
    FOR_CELLS(from, &p->of[seat]) {
        int kind = data(t)->kind[p->at[from]];
        switch (kind) {
        case PAWN: pawn(&l, from, seat); break;
        case HORSE: horse(&l, from, seat); break;
        case ARCHER: archer(&l, from, seat); break;
        case PRINCE: prince(&l, from, seat); break;
        default: runner(&l, from, kind, seat);
        }
    }
    return l.full ? NO_ROOM : l.count;
}

static void play(const Tables *t, Pos *p, const Move *move) {
    position_move(t, p, move);
    position_turn(t, p, 1 - p->seat);
}

static int outcome(const Tables *t, const Pos *p, int results) {
    if (results) return GOES_ON;
    Cells kings = camblam_kings(t, p, p->seat), turners = camblam_turners(t, p, 1 - p->seat), unused = {{0}};
    if (camblam_in_check(t, p, p->seat, &kings, &turners, NULL, &unused)) return 1 - p->seat;
    return data(t)->stalemate_draws ? DRAWN : 1 - p->seat;
}

static int extra(const Tables *t, const Pos *p, int seat) { return p->seat == seat ? t->weight[WEIGHT_TEMPO] : 0; }

bool camblam_make(Tables *t, const int32_t *n, size_t count) {
    enum { HEAD = 10 };
    if (count < HEAD) return false;
    t->cells = n[1], t->seats = 2, t->pieces = 2 * KINDS + 1;
    if (t->cells < 1 || t->cells > MAX_CELLS || count != HEAD + 2 * (size_t)t->cells) return false;
    Camblam *c = calloc(1, sizeof *c);
    if (!c) return false;
    t->own = c;
    c->first_leg = n[2], c->catapult_step = n[3], c->rook_step = n[4], c->bishop_step = n[5];
    c->archer_range = n[6], c->prince_zero = n[7], c->run_whole = n[8], c->stalemate_draws = n[9];
    memset(c->grid, -1, sizeof c->grid);
    for (int way = 0; way < WAYS; way++) c->way[WAY_X[way] + 1][WAY_Y[way] + 1] = (int8_t)way;
    for (int piece = 1; piece < t->pieces; piece++) c->kind[piece] = (uint8_t)((piece - 1) % KINDS + 1);
    for (int dx = 0; dx < SIDE; dx++)
        for (int dy = 0; dy < SIDE; dy++) {
            int far = dx > dy ? dx : dy, near = dx < dy ? dx : dy;
            bool straight = (dx == 1 && (!c->first_leg || abs(dy - c->first_leg) == 1)) ||
                            (dy == 1 && (!c->first_leg || abs(dx - c->first_leg) == 1));
            c->leap[dx][dy] = straight || (far == LEG + 1 && near == LEG) || (far == LEG && near == LEG - 1);
        }
    c->last_rank[0] = -1, c->last_rank[1] = 1000;
    for (int cell = 0; cell < t->cells; cell++) {
        c->x[cell] = n[HEAD + cell], c->y[cell] = n[HEAD + t->cells + cell];
        if (c->x[cell] < 0 || c->x[cell] >= SIDE || c->y[cell] < 0 || c->y[cell] >= SIDE) return false;
        c->grid[c->x[cell]][c->y[cell]] = (int16_t)cell;
        if (c->y[cell] > c->last_rank[0]) c->last_rank[0] = c->y[cell];
        if (c->y[cell] < c->last_rank[1]) c->last_rank[1] = c->y[cell];
    }
    for (int cell = 0; cell < t->cells; cell++) {
        for (int way = 0; way < WAYS; way++) {
            int x = c->x[cell], y = c->y[cell], met;
            while ((met = cell_at(c, x += WAY_X[way], y += WAY_Y[way])) >= 0) {
                if (c->length[cell][way] == sizeof c->line[0][0]) return false;
                c->line[cell][way][c->length[cell][way]++] = (uint8_t)met;
            }
        }
    }
    t->seat_of[0] = -1;
    for (int piece = 1; piece < t->pieces; piece++) t->seat_of[piece] = piece > KINDS;
    t->list = list, t->play = play, t->outcome = outcome, t->extra = extra;
    return true;
}
