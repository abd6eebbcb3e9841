/* Camblam's pieces, its board as lines of cells, and the readings of its text that a rule set chooses. */

#ifndef OPPONENT_CAMBLAM_H
#define OPPONENT_CAMBLAM_H

#include "core.h"

enum { PAWN = 1, HORSE, CATAPULT, ARCHER, ROOK, BISHOP, PRINCE, QUEEN, KING, KINDS = KING };
enum { PAWN_REACH = 3, LEG = 4, ORTHOGONAL = 4, WAYS = 8, SIDE = 32 };
static const int WAY_X[WAYS] = {0, 1, 0, -1, 1, 1, -1, -1}, WAY_Y[WAYS] = {1, 0, -1, 0, 1, -1, -1, 1};

typedef struct {
    int32_t x[MAX_CELLS], y[MAX_CELLS];
    uint8_t line[MAX_CELLS][WAYS][16], length[MAX_CELLS][WAYS];
    int first_leg, archer_range; /* first_leg 0: of any length */
    bool catapult_step, rook_step, bishop_step, prince_zero, run_whole, stalemate_draws;
    int last_rank[2];
    int16_t grid[SIDE][SIDE]; /* the cell of a file and rank, -1 for none */
    uint8_t kind[MAX_PIECES];
    bool leap[SIDE][SIDE]; /* whether a knight may reach a cell so many files and ranks away */
    int8_t way[3][3];      /* of a step in x and y, each -1, 0 or 1 */
} Camblam;

static inline const Camblam *data(const Tables *t) { return t->own; }
static inline int forward(int seat) { return seat ? -1 : 1; }

/* Whether a piece of that kind runs along a way, and whether it steps along it and captures so. */
static inline bool runs(int kind, int way) {
    switch (kind) {
    case ROOK: return way < ORTHOGONAL;
    case BISHOP: return way >= ORTHOGONAL;
    case CATAPULT: return way < ORTHOGONAL && !WAY_X[way];
    default: return kind == QUEEN;
    }
}

static inline bool steps(int kind, int way) {
    switch (kind) {
    case ROOK: return way >= ORTHOGONAL;
    case BISHOP: return way < ORTHOGONAL;
    case CATAPULT: return way < ORTHOGONAL && !WAY_Y[way];
    default: return kind == KING;
    }
}

static inline bool step_captures(const Camblam *c, int kind) {
    return kind == ROOK ? c->rook_step : kind == BISHOP ? c->bishop_step : kind == CATAPULT ? c->catapult_step : true;
}

static inline int cell_at(const Camblam *c, int x, int y) {
    return x < 0 || x >= SIDE || y < 0 || y >= SIDE ? -1 : c->grid[x][y];
}

/* camblam_check.c: the cells of a seat's kings, and those of its pieces that come by a corner (knights and princes). */
Cells camblam_kings(const Tables *, const Pos *, int seat);
Cells camblam_turners(const Tables *, const Pos *, int seat);
/* Whether one of the kings could be captured if the other side were to move; `turners` has at least the other side's.
`watched` gets every cell that the answer was read from. With `made`, a move of another piece than a king that was played
when no king could be captured, only lines that it changed are looked at. */
bool camblam_in_check(const Tables *, const Pos *, int seat, const Cells *kings, const Cells *turners, const Move *made,
                      Cells *watched);

#endif
