/* The Camelot family: every lawful result of the player to move, in the order of the duties.

A leap over a friend is a canter, over another's piece a jump that takes it. While a piece moves, the cell that it left
and those of the pieces it has taken are free. */

#include "chains.h"
#include "core.h"

#include <string.h>

typedef struct {
    const Tables *t;
    const View *v;
    uint8_t kind[MAX_CELLS];
    Move *out;
    int count, room, failed; /* `failed`: 0, NO_ROOM or NO_MEMORY */
    /* Landings of one canter from a cell, worked out when first asked for. They are the same for every piece: one that
    canters is always an even number of steps from the cell it left, so that this cell is in the middle of no leap. */
    uint8_t landings[MAX_CELLS][MAX_DIRS], landing_count[MAX_CELLS];
} List;

enum { NOT_ASKED = 255 };

static void add(List *l, int from, int to, const Cells *taken, bool castle) {
    if (l->count >= l->room) {
        l->failed = NO_ROOM;
        return;
    }
    Move *move = &l->out[l->count++];
    *move = (Move){.from = (uint8_t)from, .to = (uint8_t)to, .castle = castle};
    if (taken) move->taken = *taken;
}

/* Whether the piece from `origin`, now on `cell` and having taken nothing, can jump. */
static bool can_jump(const List *l, int origin, int cell) {
    const Hop *hop = l->v->hops[cell];
    for (int n = l->v->hop_count[cell]; n--; hop++)
        if (l->kind[hop->over] == OTHER && (!l->kind[hop->land] || hop->land == origin)) return true;
    return false;
}

static void find_landings(List *l, int cell) {
    const Hop *hop = l->v->hops[cell];
    int count = 0;
    for (int n = l->v->hop_count[cell]; n--; hop++) {
        int over = l->kind[hop->over];
        if ((over == MAN || over == KNIGHT) && !l->kind[hop->land] && l->v->quiet[hop->land])
            l->landings[cell][count++] = hop->land;
    }
    l->landing_count[cell] = (uint8_t)count;
}

/* The cells that the piece on `origin` reaches by canters; `clean`: over none that offers a jump. */
static int canters(List *l, int origin, bool clean, uint8_t *found) {
    Cells met = {{0}};
    int count = 0;
    put(&met, origin);
    for (int i = -1; i < count; i++) {
        int cell = i < 0 ? origin : found[i];
        if (l->landing_count[cell] == NOT_ASKED) find_landings(l, cell);
        for (int n = 0; n < l->landing_count[cell]; n++) {
            int land = l->landings[cell][n];
            if (has(&met, land) || (clean && can_jump(l, origin, land))) continue;
            put(&met, land);
            found[count++] = (uint8_t)land;
        }
    }
    return count;
}

/* Every chain of jumps of the piece on `origin`, played to its end, from any of `count` cells. */
static void chains(List *l, int origin, const uint8_t *begins, int count, const Cells *barred) {
    Chains c;
    c.met = c.first, c.slots = NULL, c.length = 0, c.room = FEW;
    for (int i = 0; i < count && !l->failed; i++)
        if (!chains_put(&c, &(Chain){.cell = begins[i]})) l->failed = NO_MEMORY;
    for (int i = 0; i < c.length && !l->failed; i++) {
        Chain here = c.met[i];
        bool begun = !none(&here.taken), stuck = true;
        const Hop *hop = begun ? l->v->onward[here.cell] : l->v->hops[here.cell];
        for (int n = begun ? l->v->onward_count[here.cell] : l->v->hop_count[here.cell]; n-- && !l->failed; hop++) {
            if (l->kind[hop->over] != OTHER || has(&here.taken, hop->over)) continue;
            if (l->kind[hop->land] && hop->land != origin && !has(&here.taken, hop->land)) continue;
            stuck = false;
            Chain next = here;
            next.cell = hop->land;
            put(&next.taken, hop->over);
            if (!chains_put(&c, &next)) l->failed = NO_MEMORY;
        }
        if (stuck && begun && !(barred && has(barred, here.cell))) add(l, origin, here.cell, &here.taken, false);
    }
    chains_free(&c);
}

/* The captures of one piece, a knight's charges among them if `charging`. */
static void captures(List *l, int piece, bool charging, const Cells *barred) {
    uint8_t begins[MAX_CELLS];
    int count = 1;
    begins[0] = (uint8_t)piece;
    if (charging && l->kind[piece] == KNIGHT) count += canters(l, piece, false, begins + 1);
    chains(l, piece, begins, count, barred);
}

static void plain(List *l, int piece) {
    for (int i = 0; i < l->v->plain_count[piece]; i++)
        if (!l->kind[l->v->plain[piece][i]]) add(l, piece, l->v->plain[piece][i], NULL, false);
}

static void quiet(List *l, int piece, bool clean) {
    uint8_t found[MAX_CELLS];
    int count = canters(l, piece, clean, found);
    for (int i = 0; i < count; i++) add(l, piece, found[i], NULL, false);
}

/* What takes pieces out of their own castle: jumps before all else where the rules say so. */
static void leaving(List *l, const Cells *at_home) {
    FOR_CELLS(piece, at_home) captures(l, piece, false, &l->v->home);
    if (l->count && l->t->own_castle_jump_first) {
        l->count = 0;
        FOR_CELLS(other, at_home) captures(l, other, true, &l->v->home);
        return;
    }
    l->count = 0;
    FOR_CELLS(piece, at_home) {
        captures(l, piece, true, &l->v->home);
        quiet(l, piece, l->kind[piece] == KNIGHT && l->t->charge_must_capture);
        plain(l, piece);
    }
}

static void castle_moves(List *l, const Cells *own) {
    FOR_CELLS(piece, own) {
        if (!has(&l->v->goal, piece)) continue;
        FOR_CELLS(near, &l->v->goal) {
            if (l->kind[near]) continue;
            /* steps between castle cells are kept behind the plain steps, which the goal has none of */
            for (int i = 0; i < l->v->plain_count[piece]; i++)
                if (l->v->plain[piece][i] == near) add(l, piece, near, NULL, true);
        }
    }
}

/* All lawful results of `own` pieces when no duty to leave the own castle binds. */
static void freely(List *l, const Cells *own, bool castle_move_left) {
    bool jumping = false;
    FOR_CELLS(piece, own) {
        if (can_jump(l, piece, piece)) {
            jumping = true;
            break;
        }
    }
    if (jumping) {
        FOR_CELLS(taker, own) captures(l, taker, true, NULL);
        return;
    }
    FOR_CELLS(piece, own) {
        if (has(&l->v->goal, piece)) continue;
        plain(l, piece);
        if (l->kind[piece] == MAN) {
            quiet(l, piece, false);
            continue;
        }
        uint8_t found[MAX_CELLS];
        int count = canters(l, piece, false, found);
        bool charges = false;
        for (int i = 0; i < count && !charges; i++) charges = can_jump(l, piece, found[i]);
        if (charges) chains(l, piece, found, count, NULL);
        if (charges && l->t->charge_must_capture) {
            quiet(l, piece, true);
        } else {
            for (int i = 0; i < count; i++) add(l, piece, found[i], NULL, false);
        }
    }
    if (castle_move_left) castle_moves(l, own);
}

/* How the placement alone ends the game. */
static int ended(const Tables *t, const Pos *p) {
    bool inside = false;
    for (int seat = 0; seat < t->seats; seat++)
        for (int i = 0; i < WORDS; i++) inside |= (p->of[seat].w[i] & t->castles.w[i]) != 0;
    for (int seat = 0; inside && seat < t->seats; seat++) {
        Cells there;
        for (int i = 0; i < WORDS; i++) there.w[i] = p->of[seat].w[i] & t->view[seat].goal.w[i];
        if (size(&there) >= t->castle_pieces_to_win) return seat;
    }
    int counts[MAX_SEATS], gone = 0, most = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        counts[seat] = size(&p->of[seat]);
        gone += !counts[seat];
        if (counts[seat] > counts[most]) most = seat;
    }
    if (gone >= t->seats - 1) return counts[most] >= t->min_pieces_to_win ? most : DRAWN;
    return t->one_each_draws && counts[most] == 1 && !gone ? DRAWN : GOES_ON;
}

/* The lawful results of a position that no castle, capture or lack of pieces has ended. */
static int lawful(const Tables *t, const Pos *p, Move *out, int room) {
    List l; /* most of it is filled when asked for */
    l.t = t, l.v = &t->view[p->seat], l.out = out, l.room = room, l.count = 0, l.failed = 0;
    memset(l.landing_count, NOT_ASKED, (size_t)t->cells);
    for (int cell = 0; cell < t->cells; cell++) l.kind[cell] = l.v->kind[p->at[cell]];
    Cells own = p->of[p->seat], at_home;
    for (int i = 0; i < WORDS; i++) at_home.w[i] = own.w[i] & l.v->home.w[i];
    if (!none(&at_home)) {
        leaving(&l, &at_home);
        if (l.count || l.failed || t->blocked_no_moves) return l.failed ? l.failed : l.count;
        for (int i = 0; i < WORDS; i++) own.w[i] &= ~at_home.w[i];
    }
    freely(&l, &own, p->used[p->seat] < t->castle_move_limit);
    return l.failed ? l.failed : l.count;
}

static int list(const Tables *t, const Pos *p, Move *out, int room) {
    return ended(t, p) == GOES_ON ? lawful(t, p, out, room) : 0;
}

/* Whether the player to move has a lawful result. */
static bool able(const Tables *t, const Pos *p) {
    const View *v = &t->view[p->seat];
    Cells own = p->of[p->seat];
    bool home = false;
    for (int i = 0; i < WORDS; i++) home |= (own.w[i] & v->home.w[i]) != 0;
    if (!home) {
        FOR_CELLS(piece, &own) {
            if (has(&v->goal, piece)) continue;
            for (int i = 0; i < v->plain_count[piece]; i++)
                if (!p->at[v->plain[piece][i]]) return true; /* a duty to jump would leave jumps */
        }
    }
    Move moves[2];
    return lawful(t, p, moves, 2) != 0;
}

static bool calm(const Tables *t, const Pos *p) {
    const View *v = &t->view[p->seat];
    bool steps = false;
    FOR_CELLS(piece, &p->of[p->seat]) {
        if (has(&v->home, piece)) return false;
        const Hop *hop = v->hops[piece];
        for (int n = v->hop_count[piece]; n--; hop++)
            if (p->at[hop->over] && t->seat_of[p->at[hop->over]] != p->seat && !p->at[hop->land]) return false;
        for (int i = 0; !steps && !has(&v->goal, piece) && i < v->plain_count[piece]; i++)
            steps = !p->at[v->plain[piece][i]];
    }
    return steps && ended(t, p) == GOES_ON;
}

static void play(const Tables *t, Pos *p, const Move *move) {
    int seat = p->seat;
    position_move(t, p, move);
    if (move->castle) {
        p->key ^= t->zobrist_used[seat][p->used[seat] & 15];
        p->used[seat]++;
        p->key ^= t->zobrist_used[seat][p->used[seat] & 15];
    }
    position_turn(t, p, (seat + 1) % t->seats);
    if (t->no_moves != PASSES || ended(t, p) != GOES_ON) return;
    int first = p->seat;
    for (int ahead = 0; ahead < t->seats; ahead++) {
        position_turn(t, p, (first + ahead) % t->seats);
        if (!none(&p->of[p->seat]) && able(t, p)) return;
    }
    position_turn(t, p, first);
}

static int outcome(const Tables *t, const Pos *p, int results) {
    int over = ended(t, p);
    if (over != GOES_ON || results) return over;
    if (t->no_moves == PASSES) {
        for (int ahead = 0; ahead < t->seats; ahead++) {
            Pos turn = *p;
            position_turn(t, &turn, (p->seat + ahead) % t->seats);
            if (!none(&turn.of[turn.seat]) && able(t, &turn)) return GOES_ON;
        }
        return DRAWN;
    }
    int other = (p->seat + 1) % t->seats;
    return t->no_moves == LOSES_TO_TWO && size(&p->of[other]) < 2 ? DRAWN : other;
}

/* What could be jumped, friends to canter over, and how near the two foremost pieces are to the castle. */
static int extra(const Tables *t, const Pos *p, int seat) {
    const View *v = &t->view[seat];
    int threats = 0, links = 0, first = MAX_STEPS, second = MAX_STEPS;
    FOR_CELLS(piece, &p->of[seat]) {
        int far = v->far[piece];
        if (far < first) {
            second = first;
            first = far;
        } else if (far < second) {
            second = far;
        }
        const Hop *hop = v->hops[piece];
        for (int n = v->hop_count[piece]; n--; hop++) {
            int beside = p->at[hop->over];
            if (!beside || p->at[hop->land]) continue;
            if (t->seat_of[beside] == seat) {
                links++;
            } else {
                threats++;
            }
        }
    }
    int race = 2 * MAX_STEPS - first - second;
    return links * t->weight[WEIGHT_LINK] + threats * t->weight[WEIGHT_THREAT] + race * t->weight[WEIGHT_RACE] +
           (p->seat == seat ? t->weight[WEIGHT_TEMPO] : 0);
}

static void look(Tables *t, int seat, const int32_t *steps, const int32_t *leaps, int dirs, const int32_t *castle,
                 bool goal_ends_jumps) {
    View *v = &t->view[seat];
    int goal = (seat + 1) % t->seats;
    for (int cell = 0; cell < t->cells; cell++) {
        if (castle[cell] == seat) put(&v->home, cell);
        if (castle[cell] == goal) put(&v->goal, cell);
        if (castle[cell] >= 0 && castle[cell] != seat && castle[cell] != goal) put(&v->shut, cell);
    }
    for (int cell = 0; cell < t->cells; cell++) {
        v->quiet[cell] = !has(&v->home, cell) && !has(&v->shut, cell);
        for (int dir = 0; dir < dirs; dir++) {
            int over = steps[cell * dirs + dir], land = leaps[cell * dirs + dir];
            bool in_goal = has(&v->goal, cell);
            /* from the goal the plain steps are those within it: castle moves */
            if (over >= 0 && !has(&v->home, over) && !has(&v->shut, over) && (!in_goal || has(&v->goal, over)))
                v->plain[cell][v->plain_count[cell]++] = (uint8_t)over;
            if (over < 0 || land < 0 || has(&v->shut, land)) continue;
            Hop hop = {(uint8_t)over, (uint8_t)land};
            if (!in_goal) v->hops[cell][v->hop_count[cell]++] = hop;
            if (!in_goal || !goal_ends_jumps) v->onward[cell][v->onward_count[cell]++] = hop;
        }
    }
}

bool family_make(Tables *t, const int32_t *n, size_t count) {
    enum { HEAD = 15 };
    if (count < HEAD) return false;
    int dirs = n[3];
    t->cells = n[1], t->seats = n[2], t->pieces = n[4];
    t->charge_must_capture = n[5], t->own_castle_jump_first = n[6], t->blocked_no_moves = n[7];
    bool goal_ends_jumps = n[8];
    t->castle_move_limit = (uint32_t)n[9], t->castle_pieces_to_win = n[10], t->min_pieces_to_win = n[11];
    t->one_each_draws = n[12], t->no_moves = n[13], t->takes_all = true;
    if (t->cells < 1 || t->cells > MAX_CELLS || t->seats < 2 || t->seats > MAX_SEATS || dirs < 1 || dirs > MAX_DIRS ||
        t->pieces < 1 || t->pieces > MAX_PIECES)
        return false;
    size_t cells = (size_t)t->cells;
    if (count != HEAD + cells * (size_t)dirs * 2 + (size_t)t->pieces * 2 + cells + cells * (size_t)t->seats) return false;
    const int32_t *steps = n + HEAD, *leaps = steps + cells * (size_t)dirs, *seats = leaps + cells * (size_t)dirs;
    const int32_t *kinds = seats + t->pieces, *castle = kinds + t->pieces, *far = castle + cells;
    for (size_t i = 0; i < cells * (size_t)dirs * 2; i++)
        if (steps[i] < -1 || steps[i] >= t->cells) return false;
    for (int piece = 0; piece < t->pieces; piece++) {
        if (seats[piece] >= t->seats || (piece && seats[piece] < 0)) return false;
        t->seat_of[piece] = (int8_t)seats[piece];
    }
    for (int cell = 0; cell < t->cells; cell++)
        if (castle[cell] >= 0) put(&t->castles, cell);
    for (int seat = 0; seat < t->seats; seat++) {
        look(t, seat, steps, leaps, dirs, castle, goal_ends_jumps);
        View *v = &t->view[seat];
        for (int piece = 1; piece < t->pieces; piece++)
            v->kind[piece] = seats[piece] == seat ? (uint8_t)kinds[piece] : OTHER;
        for (int cell = 0; cell < t->cells; cell++) {
            int steps_left = far[(size_t)seat * cells + (size_t)cell];
            v->far[cell] = (uint8_t)(steps_left < MAX_STEPS ? steps_left : MAX_STEPS);
        }
    }
    t->list = list, t->calm = calm, t->play = play, t->outcome = outcome, t->extra = extra;
    return true;
}
