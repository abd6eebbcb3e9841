/* Camblam: every lawful result. A move may not leave an own king capturable.

Whether a king can be captured is looked up from the king outward, and every cell that the answer was read from is marked.
A move that touches none of them leaves the answer as it was, so that only the others are looked at again. */

#include "core.h"

#include <stdlib.h>
#include <string.h>

enum { PAWN = 1, HORSE, CATAPULT, ARCHER, ROOK, BISHOP, PRINCE, QUEEN, KING, KINDS = KING };
enum { PAWN_REACH = 3, LEG = 4, ORTHOGONAL = 4, WAYS = 8 };
static const int WAY_X[WAYS] = {0, 1, 0, -1, 1, 1, -1, -1}, WAY_Y[WAYS] = {1, 0, -1, 0, 1, -1, -1, 1};
static const int BECOMES[] = {QUEEN, ROOK, BISHOP, PRINCE, ARCHER, CATAPULT, HORSE};

typedef struct {
    int32_t x[MAX_CELLS], y[MAX_CELLS];
    uint8_t line[MAX_CELLS][WAYS][16], length[MAX_CELLS][WAYS];
    int first_leg, archer_range; /* first_leg 0: of any length */
    bool catapult_step, rook_step, bishop_step, prince_zero, run_whole, stalemate_draws;
    int last_rank[2];
} Camblam;

static const Camblam *data(const Tables *t) { return t->own; }
static int kind_of(int piece) { return piece ? (piece - 1) % KINDS + 1 : 0; }
static int forward(int seat) { return seat ? -1 : 1; }

/* Whether a piece of that kind runs along a way, and whether it steps along it and captures so. */
static bool runs(int kind, int way) {
    switch (kind) {
    case ROOK: return way < ORTHOGONAL;
    case BISHOP: return way >= ORTHOGONAL;
    case CATAPULT: return way < ORTHOGONAL && !WAY_X[way];
    default: return kind == QUEEN;
    }
}

static bool steps(int kind, int way) {
    switch (kind) {
    case ROOK: return way >= ORTHOGONAL;
    case BISHOP: return way < ORTHOGONAL;
    case CATAPULT: return way < ORTHOGONAL && !WAY_Y[way];
    default: return kind == KING;
    }
}

static bool step_captures(const Camblam *c, int kind) {
    return kind == ROOK ? c->rook_step : kind == BISHOP ? c->bishop_step : kind == CATAPULT ? c->catapult_step : true;
}

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

/* The way of a step in x and y, -1 for none. */
static int way_of(int dx, int dy) {
    for (int way = 0; way < WAYS; way++)
        if (WAY_X[way] == dx && WAY_Y[way] == dy) return way;
    return -1;
}

static int sign(int n) { return (n > 0) - (n < 0); }

/* Whether nothing stands on the straight line between two cells. */
static bool open_between(const Tables *t, const Pos *p, int from, int to, Cells *watched) {
    const Camblam *c = data(t);
    int dx = c->x[to] - c->x[from], dy = c->y[to] - c->y[from];
    int way = way_of(sign(dx), sign(dy)), far = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int n = 0; n < far - 1; n++) {
        int cell = c->line[from][way][n];
        put(watched, cell);
        if (p->at[cell]) return false;
    }
    return true;
}

static int cell_at(const Camblam *c, const Tables *t, int near, int x, int y) {
    /* from any cell of the board along its file and then its rank */
    int dy = y - c->y[near], dx = x - c->x[near];
    if (dy) {
        int way = way_of(0, sign(dy));
        if (abs(dy) > c->length[near][way]) return -1;
        near = c->line[near][way][abs(dy) - 1];
    }
    if (dx) {
        int way = way_of(sign(dx), 0);
        if (abs(dx) > c->length[near][way]) return -1;
        near = c->line[near][way][abs(dx) - 1];
    }
    (void)t;
    return near;
}

/* Whether the prince on `from` reaches `to`: along a rank or file, then along a diagonal. */
static bool prince_reaches(const Tables *t, const Pos *p, int from, int to, Cells *watched) {
    const Camblam *c = data(t);
    int x = c->x[from], y = c->y[from], dx = c->x[to] - x, dy = c->y[to] - y;
    if (c->prince_zero && (!dx || !dy) && open_between(t, p, from, to, watched)) return true;
    for (int turn = -1; turn <= 1; turn += 2) {
        int corners[2] = {dy ? cell_at(c, t, from, c->x[to] + turn * dy, y) : -1,
                          dx ? cell_at(c, t, from, x, c->y[to] + turn * dx) : -1};
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
static bool attacked(const Tables *t, const Pos *p, int king, int seat, Cells *watched) {
    const Camblam *c = data(t);
    int enemy = 1 - seat;
    for (int way = 0; way < WAYS; way++) {
        bool shielded = false, gap = false;
        for (int n = 0; n < c->length[king][way]; n++) {
            int cell = c->line[king][way][n], piece = p->at[cell], kind = kind_of(piece);
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
    FOR_CELLS(cell, &p->of[enemy]) {
        int kind = kind_of(p->at[cell]);
        if (kind == HORSE) {
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

static bool in_check(const Tables *t, const Pos *p, int seat, Cells *watched) {
    int king = KING + seat * KINDS;
    FOR_CELLS(cell, &p->of[seat]) {
        if (p->at[cell] == king && attacked(t, p, cell, seat, watched)) return true;
    }
    return false;
}

typedef struct {
    const Tables *t;
    const Pos *p;
    Cells watched;
    bool check, full;
    Move *out;
    int count, room;
} List;

/* Adds a landing if it is lawful, a promotion to each kind if it is one. */
static void add(List *l, int from, int to, Cells taken) {
    const Tables *t = l->t;
    int piece = l->p->at[from], seat = l->p->seat, kind = kind_of(piece);
    bool touches = kind == KING || has(&l->watched, from) || has(&l->watched, to);
    for (int i = 0; i < WORDS; i++) touches |= (taken.w[i] & l->watched.w[i]) != 0;
    Move move = {.from = (uint8_t)from, .to = (uint8_t)to, .taken = taken};
    if (touches) {
        Pos after = *l->p;
        Cells unused = {{0}};
        position_move(t, &after, &move);
        if (in_check(t, &after, seat, &unused)) return;
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
    int ahead = way_of(0, forward(seat));
    for (int n = 0; n < PAWN_REACH && n < c->length[from][ahead]; n++) {
        int to = c->line[from][ahead][n];
        if (l->p->at[to]) break;
        add(l, from, to, NOTHING);
    }
    for (int side = -1; side <= 1; side += 2) {
        int way = way_of(side, forward(seat));
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
    List l = {.t = t, .p = p, .out = out, .room = room};
    int seat = p->seat;
    l.check = in_check(t, p, seat, &l.watched);
    FOR_CELLS(from, &p->of[seat]) {
        int kind = kind_of(p->at[from]);
        switch (kind) {
        case PAWN: pawn(&l, from, seat); break;
        case HORSE: horse(&l, from, seat); break;
        case ARCHER: archer(&l, from, seat); break;
        case PRINCE: prince(&l, from, seat); break;
        default: runner(&l, from, kind, seat);
        }
    }
    return l.full ? -1 : l.count;
}

static void play(const Tables *t, Pos *p, const Move *move) {
    position_move(t, p, move);
    position_turn(t, p, 1 - p->seat);
}

static int outcome(const Tables *t, const Pos *p, int results) {
    if (results) return GOES_ON;
    Cells unused = {{0}};
    if (in_check(t, p, p->seat, &unused)) return 1 - p->seat;
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
    c->last_rank[0] = -1, c->last_rank[1] = 1000;
    for (int cell = 0; cell < t->cells; cell++) {
        c->x[cell] = n[HEAD + cell], c->y[cell] = n[HEAD + t->cells + cell];
        if (c->y[cell] > c->last_rank[0]) c->last_rank[0] = c->y[cell];
        if (c->y[cell] < c->last_rank[1]) c->last_rank[1] = c->y[cell];
    }
    for (int cell = 0; cell < t->cells; cell++) {
        for (int way = 0; way < WAYS; way++) {
            int x = c->x[cell], y = c->y[cell], found = 1;
            while (found) {
                x += WAY_X[way], y += WAY_Y[way], found = 0;
                for (int other = 0; other < t->cells && !found; other++) {
                    if (c->x[other] != x || c->y[other] != y) continue;
                    if (c->length[cell][way] == sizeof c->line[0][0]) return false;
                    c->line[cell][way][c->length[cell][way]++] = (uint8_t)other;
                    found = 1;
                }
            }
        }
    }
    t->seat_of[0] = -1;
    for (int piece = 1; piece < t->pieces; piece++) t->seat_of[piece] = piece > KINDS;
    t->list = list, t->play = play, t->outcome = outcome, t->extra = extra;
    return true;
}
