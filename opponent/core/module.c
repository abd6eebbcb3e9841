/* The compiled core as a Python module. A position is (placement, seat, castle moves); a result is as
engine.game.Result: (from, to, taken in ascending order, promotion). */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core.h"

#include <string.h>

#define ARENA 65536
#define MAX_WAY 8192
#define CAPSULE "opponent.core.tables"

bool memory_make(Tables *t);

static Tables *tables_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, CAPSULE); }

static void release(PyObject *capsule) {
    Tables *t = tables_of(capsule);
    if (t) free(t->memory), free(t->own);
    free(t);
}

enum { FAMILY = 1, CAMBLAM = 2 };

static bool read_tables(Tables *t, const int32_t *numbers, size_t count) {
    if (numbers[0] == FAMILY) return family_make(t, numbers, count);
    return numbers[0] == CAMBLAM && camblam_make(t, numbers, count);
}

static uint64_t draw(uint64_t *state) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* make(numbers, worths, weights): the tables, from int32 arrays as bytes. */
static PyObject *make(PyObject *self, PyObject *args) {
    Py_buffer numbers, worths, weights;
    if (!PyArg_ParseTuple(args, "y*y*y*", &numbers, &worths, &weights)) return NULL;
    Tables *t = calloc(1, sizeof *t);
    bool good = t && numbers.len >= 4 && read_tables(t, numbers.buf, (size_t)numbers.len / 4) &&
                worths.len == (Py_ssize_t)4 * t->pieces * t->cells && weights.len == 4 * WEIGHTS;
    if (good) {
        const int32_t *worth = worths.buf;
        uint64_t state = 20;
        for (int piece = 0; piece < t->pieces; piece++)
            for (int cell = 0; cell < t->cells; cell++) {
                t->worth[piece][cell] = worth[piece * t->cells + cell];
                t->zobrist[piece][cell] = draw(&state);
            }
        for (int seat = 0; seat < MAX_SEATS; seat++) {
            t->zobrist_seat[seat] = draw(&state);
            for (int used = 0; used < 16; used++) t->zobrist_used[seat][used] = draw(&state);
        }
        memcpy(t->weight, weights.buf, 4 * WEIGHTS);
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&worths);
    PyBuffer_Release(&weights);
    if (!good) {
        if (t) free(t->own);
        free(t);
        PyErr_SetString(PyExc_ValueError, "the core cannot hold this game");
        return NULL;
    }
    return PyCapsule_New(t, CAPSULE, release);
}

/* Reads (placement, seat, castle moves); false with an exception set. */
static bool read_position(const Tables *t, PyObject *said, Pos *p) {
    const char *placement;
    Py_ssize_t length;
    int seat;
    PyObject *used;
    if (!PyArg_ParseTuple(said, "y#iO!", &placement, &length, &seat, &PyTuple_Type, &used)) return false;
    if (length != t->cells || seat < 0 || seat >= t->seats || PyTuple_GET_SIZE(used) > MAX_SEATS) {
        PyErr_SetString(PyExc_ValueError, "not a position of this game");
        return false;
    }
    memset(p, 0, sizeof *p);
    for (int cell = 0; cell < t->cells; cell++) {
        p->at[cell] = (uint8_t)placement[cell];
        if (p->at[cell] >= t->pieces) {
            PyErr_SetString(PyExc_ValueError, "no such piece");
            return false;
        }
    }
    p->seat = (uint8_t)seat;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(used); i++) {
        unsigned long count = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(used, i));
        if (PyErr_Occurred()) return false;
        p->used[i] = (uint32_t)count;
    }
    position_finish(t, p);
    return true;
}

static PyObject *result_of(const Move *m) {
    PyObject *taken = PyTuple_New(size(&m->taken));
    if (!taken) return NULL;
    Py_ssize_t i = 0;
    FOR_CELLS(cell, &m->taken) PyTuple_SET_ITEM(taken, i++, PyLong_FromLong(cell));
    return Py_BuildValue("(iiNi)", m->from, m->to, taken, m->becomes);
}

static PyObject *results_of(const Move *moves, int count) {
    PyObject *out = PyList_New(count);
    for (int i = 0; out && i < count; i++) {
        PyObject *result = result_of(&moves[i]);
        if (!result) {
            Py_DECREF(out);
            return NULL;
        }
        PyList_SET_ITEM(out, i, result);
    }
    return out;
}

static PyObject *no_memory(void) {
    PyErr_SetString(PyExc_MemoryError, "more results than there is memory for");
    return NULL;
}

/* results(tables, position): every lawful result. MemoryError when there is not enough for them. */
static PyObject *results(PyObject *self, PyObject *args) {
    PyObject *capsule, *said;
    Pos p;
    if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyTuple_Type, &said)) return NULL;
    Tables *t = tables_of(capsule);
    if (!t || !read_position(t, said, &p)) return NULL;
    int count;
    Move *moves = list_all(t, &p, &count);
    PyObject *out = moves ? results_of(moves, count) : no_memory();
    free(moves);
    return out;
}

/* outcome(tables, position): None while the game goes on, -1 for a draw, else the seat that has won. */
static PyObject *outcome(PyObject *self, PyObject *args) {
    PyObject *capsule, *said;
    Pos p;
    if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyTuple_Type, &said)) return NULL;
    Tables *t = tables_of(capsule);
    if (!t || !read_position(t, said, &p)) return NULL;
    Move moves[2];
    int over = t->outcome(t, &p, t->list(t, &p, moves, 2) ? 1 : 0);
    if (over == GOES_ON) Py_RETURN_NONE;
    return PyLong_FromLong(over);
}

/* perft(tables, position, depth): lines of that many results. */
static PyObject *count_lines(PyObject *self, PyObject *args) {
    PyObject *capsule, *said;
    int depth;
    Pos p;
    if (!PyArg_ParseTuple(args, "OO!i", &capsule, &PyTuple_Type, &said, &depth)) return NULL;
    Tables *t = tables_of(capsule);
    if (!t || !read_position(t, said, &p)) return NULL;
    bool full = false;
    uint64_t total;
    Py_BEGIN_ALLOW_THREADS
    total = perft(t, &p, depth, &full);
    Py_END_ALLOW_THREADS
    return full ? no_memory() : PyLong_FromUnsignedLongLong(total);
}

/* listed(tables, positions, passes): how many results all positions have together, listed that often. */
static PyObject *listed(PyObject *self, PyObject *args) {
    PyObject *capsule, *said;
    int passes;
    if (!PyArg_ParseTuple(args, "OO!i", &capsule, &PyList_Type, &said, &passes)) return NULL;
    Tables *t = tables_of(capsule);
    Py_ssize_t count = PyList_GET_SIZE(said);
    Pos *stands = malloc(sizeof(Pos) * (size_t)(count + 1));
    bool good = t && stands;
    for (Py_ssize_t i = 0; good && i < count; i++) good = read_position(t, PyList_GET_ITEM(said, i), &stands[i]);
    uint64_t total = 0;
    if (good)
        for (int pass = 0; pass < passes; pass++)
            for (Py_ssize_t i = 0; good && i < count; i++) {
                int found;
                Move *moves = list_all(t, &stands[i], &found);
                good = moves != NULL;
                total += good ? (uint64_t)found : 0;
                free(moves);
            }
    free(stands);
    if (!good) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    return PyLong_FromUnsignedLongLong(total);
}

static bool say(PyObject *told, const Search *s, int depth, int score, double begun) {
    PyObject *line = results_of(s->line[0], s->line_length[0]);
    if (!line) return false;
    PyObject *answer = PyObject_CallFunction(told, "iiKdN", depth, score, (unsigned long long)s->nodes, now() - begun, line);
    Py_XDECREF(answer);
    return answer != NULL;
}

/* Deeper and deeper until a limit is met; the best move stands first in `moves`. False with an exception set. */
static bool deepen(Search *s, const Pos *p, Move *moves, int count, int deepest, PyObject *told) {
    double begun = now();
    for (int depth = 1; depth <= deepest && !s->stopped; depth++) {
        int score;
        s->exchanges_until = depth == 1 ? s->nodes + FIRST_DEPTH : UINT64_MAX;
        Py_BEGIN_ALLOW_THREADS
        score = (s->tables->seats > 2 ? maxn_root : search_root)(s, p, moves, count, depth);
        Py_END_ALLOW_THREADS
        if (s->stopped) break;
        s->promised = score;
        if (!say(told, s, depth, score, begun)) return false;
        if (score > WON - 1000 || score < 1000 - WON) break;
    }
    return true;
}

/* Keeps of `moves` those whose place in the list is not 0 in `wanted`; how many they are. */
static int keep(Move *moves, int count, const Py_buffer *wanted) {
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (((const char *)wanted->buf)[i]) moves[kept++] = moves[i];
    return kept;
}

/* search(tables, positions up to now, nodes, seconds, depth, noise, seed, stop, told, wanted): the best result.
A limit of 0 is none; `stop` is a byte that is not 0 when the move is wanted now; `told(depth, score, nodes, seconds,
line)`; `wanted` is empty, or has a byte for each of `results`: 0 for one that is not to be chosen. */
static PyObject *search(PyObject *self, PyObject *args) {
    PyObject *capsule, *stands, *told, *best = NULL;
    unsigned long long nodes, seed;
    double seconds;
    int depth, noise;
    Py_buffer stop, wanted;
    if (!PyArg_ParseTuple(args, "OO!KdiiKy*Oy*", &capsule, &PyList_Type, &stands, &nodes, &seconds, &depth, &noise,
                          &seed, &stop, &told, &wanted))
        return NULL;
    Tables *t = tables_of(capsule);
    Py_ssize_t length = PyList_GET_SIZE(stands), from = length > MAX_WAY ? length - MAX_WAY : 0;
    Search *s = calloc(1, sizeof *s);
    Move *moves = NULL;
    if (s) s->way = malloc(sizeof(uint64_t) * (MAX_WAY + DEEPEST * 2)), s->arena = malloc(sizeof(Move) * ARENA);
    Pos p;
    bool good = t && s && s->way && s->arena && stop.len == 1 && length && memory_make(t);
    for (Py_ssize_t i = from; good && i < length; i++) {
        good = read_position(t, PyList_GET_ITEM(stands, i), &p);
        if (good && i + 1 < length) s->way[s->way_length++] = p.key;
    }
    if (good) {
        s->promised = -2 * WON, s->tables = t, s->root_seat = p.seat, s->most_nodes = nodes, s->until = seconds > 0 ? now() + seconds : 0;
        s->noise = noise, s->seed = seed, s->stop = stop.buf, s->arena_size = ARENA;
        if (depth < 1 || depth > DEEPEST) depth = DEEPEST;
        int count;
        moves = list_all(t, &p, &count);
        if (moves && wanted.len == count) count = keep(moves, count, &wanted);
        if (!moves) no_memory();
        else if (count == 0) PyErr_SetString(PyExc_ValueError, "the game is over");
        else if ((count == 1 && !wanted.len) || deepen(s, &p, moves, count, depth, told)) best = result_of(&moves[0]);
    }
    if (!best && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "nothing to search with");
    if (s) free(s->way), free(s->arena);
    free(s);
    free(moves);
    PyBuffer_Release(&stop);
    PyBuffer_Release(&wanted);
    return best;
}

static PyMethodDef methods[] = {
    {"make", make, METH_VARARGS, NULL},         {"results", results, METH_VARARGS, NULL},
    {"outcome", outcome, METH_VARARGS, NULL},   {"perft", count_lines, METH_VARARGS, NULL},
    {"listed", listed, METH_VARARGS, NULL},     {"search", search, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_compiled", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModule_Create(&module); }
