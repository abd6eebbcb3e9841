/* Search for more than two players, each taken to play for itself ("max^n"): every position has a score for each seat, and
who is to move chooses by its own. No line can be left out as in alpha-beta; what keeps it quick is a table of positions
met and leaves that are judged without a listing where nobody must capture. */

#include "core.h"

#include <string.h>

#define EXCHANGE 4 /* plies of captures beyond the depth: more cost time, fewer misjudge exchanges */

typedef struct {
    int32_t of[MAX_SEATS];
} Scores;

/* What each seat has more than the others have on average. */
static Scores leads(const Search *s, const Pos *p) {
    const Tables *t = s->tables;
    Scores found;
    int32_t total = 0;
    for (int seat = 0; seat < t->seats; seat++) {
        found.of[seat] = p->worth[seat] + t->extra(t, p, seat);
        total += found.of[seat];
    }
    for (int seat = 0; seat < t->seats; seat++) {
        found.of[seat] -= (total - found.of[seat]) / (t->seats - 1);
        found.of[seat] += seen_wrongly(s, p->key + (uint64_t)seat);
    }
    return found;
}

static Scores ended(const Search *s, int over, int ply) {
    Scores found;
    for (int seat = 0; seat < s->tables->seats; seat++)
        found.of[seat] = over == DRAWN ? 0 : over == seat ? WON - ply : ply - WON;
    return found;
}

/* A decided score as it is kept, `plies` nearer to the end or, with less than 0, farther from it. */
static Scores nearer(Scores found, int plies) {
    for (int seat = 0; seat < MAX_SEATS; seat++) {
        if (found.of[seat] > NEAR_WON) found.of[seat] += plies;
        if (found.of[seat] < -NEAR_WON) found.of[seat] -= plies;
    }
    return found;
}

static Entry *entry_of(const Search *s, const Pos *p, int depth, uint64_t *key) {
    *key = p->key ^ mix((uint64_t)depth + 1 + (s->noise ? s->seed << 8 : 0));
    return &s->tables->memory[*key & MEMORY_MASK];
}

/* `exchange`: plies of captures beyond the depth so far. */
static Scores scores(Search *s, const Pos *p, int depth, int ply, Move *moves, int exchange) {
    const Tables *t = s->tables;
    Scores best = {{0}};
    s->line_length[ply] = 0;
    if (spent(s)) return best;
    for (int i = s->way_length - 1; i >= 0; i--)
        if (s->way[i] == p->key) return best;
    if (depth <= 0 && t->calm && t->calm(t, p)) return leads(s, p);
    uint64_t key;
    Entry *e = entry_of(s, p, depth, &key);
    if (depth > 0 && e->key == key) {
        memcpy(best.of, e->of, sizeof best.of);
        return nearer(best, -ply);
    }
    int count = t->list(t, p, moves, (int)(s->arena + s->arena_size - moves));
    if (count < 0) return leads(s, p); /* more moves than there is room for */
    int over = t->outcome(t, p, count);
    if (over != GOES_ON) return ended(s, over, ply);
    bool forced = true, chosen = false;
    for (int i = 0; forced && i < count; i++) forced = takes(&moves[i]);
    if (depth <= 0) {
        if (exchange >= EXCHANGE || ply >= DEEPEST || !forced) return leads(s, p);
        exchange++;
    }
    s->way[s->way_length++] = p->key;
    for (int i = 0; i < count && !s->stopped; i++) {
        Pos after = *p;
        t->play(t, &after, &moves[i]);
        Scores found = scores(s, &after, depth - 1, ply + 1, moves + count, exchange);
        if (s->stopped) break;
        if (!chosen || found.of[p->seat] > best.of[p->seat]) {
            best = found;
            chosen = true;
            keep_line(s, ply, &moves[i]);
        }
        if (best.of[p->seat] >= WON - ply - 1) break; /* it wins at once */
    }
    s->way_length--;
    if (depth > 0 && !s->stopped) {
        Scores kept = nearer(best, ply);
        e->key = key;
        memcpy(e->of, kept.of, sizeof kept.of);
    }
    return best;
}

int maxn_root(Search *s, const Pos *p, Move *moves, int count, int depth) {
    int best = 0, alpha = -2 * WON, first = alpha;
    s->way[s->way_length++] = p->key;
    for (int i = 0; i < count; i++) {
        Pos after = *p;
        s->tables->play(s->tables, &after, &moves[i]);
        int score = scores(s, &after, depth - 1, 1, s->arena, 0).of[p->seat];
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
