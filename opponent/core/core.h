/* What the files of the compiled core share: positions, moves, and the tables of one game under one rule set.

The rules in Python (engine/) are the reference; tests compare every answer with theirs. Nothing here knows a board or a
rule set by name: all of it comes as numbers from opponent/core/tables.py. */

#ifndef OPPONENT_CORE_H
#define OPPONENT_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CELLS 192
#define MAX_DIRS 26
#define MAX_SEATS 3
#define MAX_PIECES 32
#define MAX_STEPS 32

/* A set of cells: 64 to a word. */
#define WORDS 3
typedef struct {
    uint64_t w[WORDS];
} Cells;

static inline bool has(const Cells *set, int cell) { return set->w[cell >> 6] >> (cell & 63) & 1; }
static inline void put(Cells *set, int cell) { set->w[cell >> 6] |= (uint64_t)1 << (cell & 63); }
static inline void drop(Cells *set, int cell) { set->w[cell >> 6] &= ~((uint64_t)1 << (cell & 63)); }
static inline bool none(const Cells *set) { return !(set->w[0] | set->w[1] | set->w[2]); }
static inline bool same(const Cells *a, const Cells *b) {
    return a->w[0] == b->w[0] && a->w[1] == b->w[1] && a->w[2] == b->w[2];
}
static inline int size(const Cells *set) {
    return __builtin_popcountll(set->w[0]) + __builtin_popcountll(set->w[1]) + __builtin_popcountll(set->w[2]);
}
/* Takes the lowest cell out of a word; the loop over a set is FOR_CELLS. */
#define FOR_CELLS(cell, set)                                                                                          \
    for (int word_ = 0, cell = 0; word_ < WORDS; word_++)                                                             \
        for (uint64_t bits_ = (set)->w[word_]; bits_ && (cell = word_ * 64 + __builtin_ctzll(bits_), 1);              \
             bits_ &= bits_ - 1)

typedef struct {
    uint8_t from, to;
    uint8_t becomes;
    uint8_t castle; /* a step within the enemy castle, which is counted */
    int32_t order;  /* for the search: what is tried first */
    Cells taken;
} Move;

typedef struct {
    uint8_t at[MAX_CELLS]; /* piece numbers, 0 for empty */
    uint8_t seat;
    uint32_t used[MAX_SEATS]; /* castle moves */
    Cells of[MAX_SEATS];
    int32_t worth[MAX_SEATS];
    uint64_t key;
} Pos;

/* Why results were not listed. */
enum { NO_ROOM = -1, NO_MEMORY = -2 };

/* How a game is over. */
enum { GOES_ON = -2, DRAWN = -1 }; /* else the seat that has won */

typedef struct {
    uint8_t over, land;
} Hop;

/* The board as one seat of the Camelot family sees it. */
typedef struct {
    Cells home, goal, shut;
    uint8_t quiet[MAX_CELLS]; /* a plain step or a canter may land there */
    Hop hops[MAX_CELLS][MAX_DIRS], onward[MAX_CELLS][MAX_DIRS];
    uint8_t hop_count[MAX_CELLS], onward_count[MAX_CELLS];
    uint8_t plain[MAX_CELLS][MAX_DIRS], plain_count[MAX_CELLS];
    uint8_t kind[MAX_PIECES]; /* of a piece number: EMPTY, MAN, KNIGHT, OTHER */
    uint8_t far[MAX_CELLS];   /* steps to the goal */
} View;

enum { EMPTY, MAN, KNIGHT, OTHER };
enum { LOSES, LOSES_TO_TWO, PASSES };

typedef struct Tables Tables;

/* What is remembered of a position: by alpha-beta a score, how far it holds and the best move; by max^n a score for each
seat. Their keys differ. */
typedef struct {
    uint64_t key;
    union {
        struct {
            int32_t score;
            uint8_t depth, bound, from, to;
            uint32_t taken;
        };
        int32_t of[MAX_SEATS];
    };
} Entry;
#define MEMORY_MASK (((size_t)1 << 20) - 1) /* 24 MB */

struct Tables {
    int cells, seats, pieces;
    int8_t seat_of[MAX_PIECES];
    int32_t worth[MAX_PIECES][MAX_CELLS];
    int32_t weight[8]; /* see WEIGHT_... */
    uint64_t zobrist[MAX_PIECES][MAX_CELLS], zobrist_seat[MAX_SEATS], zobrist_used[MAX_SEATS][16];

    /* Every lawful result into `out`; how many, NO_ROOM when `out` is too short for them, NO_MEMORY when the memory for
    finding them ends. None when the game is over. */
    int (*list)(const Tables *, const Pos *, Move *out, int room);
    /* Whether it is certain that the game goes on and that who is to move need not capture; NULL where none knows. */
    bool (*calm)(const Tables *, const Pos *);
    void (*play)(const Tables *, Pos *, const Move *);
    /* How the game is over in a position with that many lawful results. */
    int (*outcome)(const Tables *, const Pos *, int results);
    /* What the placement is worth to a seat beside the sums of `worth`. */
    int (*extra)(const Tables *, const Pos *, int seat);
    bool takes_all; /* capturing is compulsory: an exchange is looked at to its end */

    void *own; /* what else a game of its own mechanism has */

    /* The Camelot family. */
    bool charge_must_capture, own_castle_jump_first, blocked_no_moves, one_each_draws;
    uint32_t castle_move_limit;
    int castle_pieces_to_win, min_pieces_to_win, no_moves;
    View view[MAX_SEATS];
    Cells castles;

    /* What the search remembers from move to move. */
    Entry *memory;
    int32_t history[MAX_CELLS][MAX_CELLS];
};

/* Weights of what a placement is worth beside its pieces' places, in hundredths of a man. */
enum { WEIGHT_THREAT, WEIGHT_LINK, WEIGHT_TEMPO, WEIGHT_RACE, WEIGHTS };

/* family.c: reads the tables from numbers; false when they make no sense. */
bool family_make(Tables *, const int32_t *numbers, size_t count);

/* camblam.c: the same for Camblam. */
bool camblam_make(Tables *, const int32_t *numbers, size_t count);

/* position.c */
void position_finish(const Tables *, Pos *); /* sets, sums and key from the placement, the seat and the castle moves */
void position_move(const Tables *, Pos *, const Move *); /* the placement after a move; the seat stays */
void position_turn(const Tables *, Pos *, int seat);
/* Every lawful result in memory of its own, as much as they need, which the caller frees; NULL when memory ends. */
Move *list_all(const Tables *, const Pos *, int *count);
uint64_t perft(const Tables *, const Pos *, int depth, bool *full);
/* A number whose bits all depend on all of x. */
uint64_t mix(uint64_t x);

/* search.c */
#define WON 1000000
#define NEAR_WON (WON - 1000)
#define DEEPEST 60
/* Nodes of the first depth, after which no exchange is looked at any more: where many pieces can take each other in many
ways it takes seconds or minutes, and nothing could be answered before. A second on a busy machine. */
#define FIRST_DEPTH 50000
#define LONGEST_LINE 16

typedef struct {
    const Tables *tables;
    uint64_t exchanges_until; /* nodes after which no exchange is looked at any more */
    uint64_t *way; /* keys of the positions before, room for DEEPEST more */
    int way_length;
    int root_seat;
    uint64_t most_nodes, nodes;
    double until; /* on the clock of `now`, 0 for no limit */
    int32_t noise;
    uint64_t seed;
    volatile const char *stop;
    bool stopped;
    int promised; /* what the last depth that was looked at whole was worth */
    Move *arena; /* moves of all plies on the way */
    int arena_size;
    Move killers[DEEPEST + 1];
    Move line[DEEPEST + 2][LONGEST_LINE];
    int line_length[DEEPEST + 2];
} Search;

double now(void);
bool takes(const Move *);
/* Which of the root's moves is played, after a depth or when time ends within one: `best`, worth `found`, unless the depth
was not looked at whole and the move of the last whole one (the first, now worth `first`) may be no worse. */
int confirmed(const Search *, int best, int first, int found);
/* A move before what was found to follow it. */
void keep_line(Search *, int ply, const Move *);
/* The chosen one before the others, which stay in their order. */
void bring_first(Move *moves, int chosen);
/* Counts a node; whether a limit was met. */
bool spent(Search *);
/* By how much a position of that key is worth too much to a level that sees inexactly. */
int seen_wrongly(const Search *, uint64_t key);
/* One depth of the root's moves, the best one first afterwards. The score; `stopped` when it was not looked at whole. */
int search_root(Search *, const Pos *, Move *moves, int count, int depth);
/* maxn.c: the same for more than two players. */
int maxn_root(Search *, const Pos *, Move *moves, int count, int depth);
void memory_forget(Tables *);

#endif
