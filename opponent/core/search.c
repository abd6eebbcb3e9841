/* Alpha-beta over any game of the core: a table of positions met, killers and history for the order, reductions of late
moves, and captures followed to their end.

Two players: scores are those of the one to move at the root. maxn.c searches for three. */

#include "core.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXCHANGE 14     /* plies of captures beyond the depth */
#define LATE 4          /* moves looked at in full before others are looked at less deep */
#define VERY_LATE 16
#define INFINITE (2 * WON)

enum { EXACT = 1, AT_LEAST, AT_MOST };

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void memory_forget(Tables *t) {
    if (t->memory) memset(t->memory, 0, sizeof(Entry) * (MEMORY_MASK + 1));
    memset(t->history, 0, sizeof t->history);
}

static uint32_t taken_word(const Move *m) { return (uint32_t)mix(m->taken.w[0] ^ mix(m->taken.w[1] ^ mix(m->taken.w[2]))) ^ m->becomes; }

static bool equal(const Move *a, const Move *b) {
    return a->from == b->from && a->to == b->to && a->becomes == b->becomes && same(&a->taken, &b->taken);
}

bool takes(const Move *m) { return !none(&m->taken); }

int seen_wrongly(const Search *s, uint64_t key) {
    return s->noise ? (int)(mix(key ^ s->seed) % (uint64_t)(2 * s->noise + 1)) - s->noise : 0;
}

static int evaluate(const Search *s, const Pos *p) {
    const Tables *t = s->tables;
    int own = s->root_seat, other = 1 - own;
    int lead = p->worth[own] + t->extra(t, p, own) - p->worth[other] - t->extra(t, p, other);
    return lead + seen_wrongly(s, p->key);
}

static int final_score(const Search *s, int over, int ply) {
    if (over == DRAWN) return 0;
    return over == s->root_seat ? WON - ply : ply - WON;
}

bool spent(Search *s) {
    s->nodes++;
    if (s->stopped) return true;
    if (s->most_nodes && s->nodes >= s->most_nodes) s->stopped = true;
    else if ((s->nodes & 7) == 0) s->stopped = (s->stop && *s->stop) || (s->until > 0 && now() >= s->until);
    return s->stopped;
}

static Entry *entry_of(const Search *s, uint64_t key) { return &s->tables->memory[key & MEMORY_MASK]; }

static void remember(Search *s, uint64_t key, int score, int depth, int bound, int ply, const Move *best) {
    Entry *e = entry_of(s, key);
    if (e->key == key && e->depth > depth && bound != EXACT) return;
    if (score > NEAR_WON) score += ply;
    if (score < -NEAR_WON) score -= ply;
    *e = (Entry){.key = key, .score = score, .depth = (uint8_t)(depth > 0 ? depth : 0), .bound = (uint8_t)bound,
                 .from = best->from, .to = best->to, .taken = taken_word(best)};
}

static void set_order(const Search *s, const Pos *p, Move *moves, int count, const Entry *e, uint64_t key, int ply) {
    const Tables *t = s->tables;
    for (int i = 0; i < count; i++) {
        Move *m = &moves[i];
        if (e->key == key && e->bound && m->from == e->from && m->to == e->to && taken_word(m) == e->taken) m->order = 1 << 30;
        else if (takes(m)) {
            int won = m->becomes - t->worth[p->at[m->from]][m->from] / 16; /* what is taken, by the least piece first */
            FOR_CELLS(cell, &m->taken) won += t->worth[p->at[cell]][cell];
            m->order = (1 << 24) + won;
        }
        
        else if (m->becomes) m->order = 1 << 24;
        else if (equal(m, &s->killers[ply])) m->order = 1 << 22;
        else m->order = t->history[m->from][m->to];
    }
}

/* Brings the best of moves[i..] to i. */
static Move *next(Move *moves, int count, int i) {
    int best = i;
    for (int j = i + 1; j < count; j++)
        if (moves[j].order > moves[best].order) best = j;
    if (best != i) {
        Move m = moves[best];
        moves[best] = moves[i];
        moves[i] = m;
    }
    return &moves[i];
}

void keep_line(Search *s, int ply, const Move *m) {
    int rest = s->line_length[ply + 1];
    if (rest > LONGEST_LINE - 1) rest = LONGEST_LINE - 1;
    s->line[ply][0] = *m;
    memcpy(&s->line[ply][1], s->line[ply + 1], sizeof(Move) * (size_t)rest);
    s->line_length[ply] = rest + 1;
}

static int value(Search *s, const Pos *p, int depth, int alpha, int beta, int ply, Move *moves, int exchange);

/* One move looked at: less deep first if it comes late, in full if it turns out well. */
static int look_at(Search *s, const Pos *p, const Move *m, int depth, int alpha, int beta, int ply, int number,
                   bool calm, bool own, Move *room, int exchange) {
    Pos after = *p;
    s->tables->play(s->tables, &after, m);
    int less = 0;
    if (number >= LATE && depth >= 3 && calm && !takes(m) && !m->becomes) less = number >= VERY_LATE && depth >= 4 ? 2 : 1;
    if (number > 0) {
        int low = own ? alpha : beta - 1, high = own ? alpha + 1 : beta;
        int score = value(s, &after, depth - 1 - less, low, high, ply + 1, room, exchange);
        if (s->stopped) return score;
        if (own ? score <= alpha : score >= beta) return score;
        if (!less && (own ? score >= beta : score <= alpha)) return score;
    }
    return value(s, &after, depth - 1, alpha, beta, ply + 1, room, exchange);
}

/* `exchange`: plies of captures beyond the depth so far. */
static int value(Search *s, const Pos *p, int depth, int alpha, int beta, int ply, Move *moves, int exchange) {
    const Tables *t = s->tables;
    s->line_length[ply] = 0;
    if (spent(s)) return 0;
    uint64_t key = p->key ^ mix((uint64_t)s->root_seat + 1 + s->seed * (uint64_t)(s->noise != 0));
    for (int i = s->way_length - 1; i >= 0; i--)
        if (s->way[i] == p->key) return 0;
    Entry *e = entry_of(s, key);
    if (e->key == key && e->bound && e->depth >= (depth > 0 ? depth : 0) && (depth > 0 || exchange == 0)) {
        int score = e->score;
        if (score > NEAR_WON) score -= ply;
        if (score < -NEAR_WON) score += ply;
        if (e->bound == EXACT || (e->bound == AT_LEAST && score >= beta) || (e->bound == AT_MOST && score <= alpha))
            return score;
    }
    int count = t->list(t, p, moves, (int)(s->arena + s->arena_size - moves));
    if (count < 0) return evaluate(s, p); /* more moves than there is room for */
    int over = t->outcome(t, p, count);
    if (over != GOES_ON) return final_score(s, over, ply);
    bool own = p->seat == s->root_seat;
    bool forced = count > 0;
    for (int i = 0; forced && i < count; i++) forced = takes(&moves[i]);
    int best_score = own ? -INFINITE : INFINITE;
    if (depth <= 0) {
        if (exchange >= (s->nodes < s->exchanges_until ? EXCHANGE : 0) || ply >= DEEPEST) return evaluate(s, p);
        if (!(forced && t->takes_all)) {
            best_score = evaluate(s, p);
            if (own ? best_score >= beta : best_score <= alpha) return best_score;
            if (own && best_score > alpha) alpha = best_score;
            if (!own && best_score < beta) beta = best_score;
            int kept = 0;
            for (int i = 0; i < count; i++)
                if (takes(&moves[i]) || moves[i].becomes) moves[kept++] = moves[i];
            count = kept;
        }
        exchange++;
    } else if (ply >= DEEPEST) {
        return evaluate(s, p);
    } else if (count == 1) {
        depth++;
    }
    set_order(s, p, moves, count, e, key, ply);
    int first_alpha = alpha, first_beta = beta;
    Move best = {0};
    s->way[s->way_length++] = p->key;
    for (int i = 0; i < count; i++) {
        Move *m = next(moves, count, i);
        int score = look_at(s, p, m, depth, alpha, beta, ply, i, !forced, own, moves + count, exchange);
        if (s->stopped) break;
        if (own ? score > best_score : score < best_score) {
            best_score = score;
            best = *m;
            keep_line(s, ply, m);
        }
        if (own && score > alpha) alpha = score;
        if (!own && score < beta) beta = score;
        if (alpha >= beta) {
            if (!takes(m) && depth > 0) {
                s->killers[ply] = *m;
                int32_t *h = (int32_t *)&t->history[m->from][m->to];
                *h += depth * depth;
                if (*h > 1 << 20) *h >>= 1;
            }
            break;
        }
    }
    s->way_length--;
    if (s->stopped) return 0;
    int bound = best_score >= first_beta ? AT_LEAST : best_score <= first_alpha ? AT_MOST : EXACT;
    remember(s, key, best_score, depth, bound, ply, &best);
    return best_score;
}

void bring_first(Move *moves, int chosen) {
    Move m = moves[chosen];
    memmove(&moves[1], &moves[0], sizeof(Move) * (size_t)chosen);
    moves[0] = m;
}

/* By so much less than promised the move of the last whole depth is refuted, in hundredths of a man: what is best of the few
moves looked at since is then played. Measured on 39 positions of Tri-Camelot with four plies as the truth
(docs/engines.md): never changing gives away more. Raising it keeps refuted moves, lowering it plays half-looked-at ones. */
#define REFUTED 60

int confirmed(const Search *s, int best, int first, int found) {
    return !s->stopped || found >= s->promised || first < s->promised - REFUTED ? best : 0;
}

int search_root(Search *s, const Pos *p, Move *moves, int count, int depth) {
    int alpha = -INFINITE, best = 0, first = -INFINITE;
    s->way[s->way_length++] = p->key;
    for (int i = 0; i < count; i++) {
        int score = look_at(s, p, &moves[i], depth, alpha, INFINITE, 0, i, true, true, s->arena, 0);
        if (s->stopped) break;
        if (i == 0) first = score;
        if (score > alpha) {
            alpha = score;
            best = i;
            keep_line(s, 0, &moves[i]);
        }
    }
    s->way_length--;
    bring_first(moves, confirmed(s, best, first, alpha));
    return alpha;
}

bool memory_make(Tables *t) {
    if (!t->memory) t->memory = calloc(MEMORY_MASK + 1, sizeof(Entry));
    return t->memory != NULL;
}
