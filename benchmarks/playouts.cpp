// The rival of `python benchmarks/playouts.py`: random games of extreme, the same algorithm with every
// fact of the game known to the compiler. Prints plies, wins of player 0, of player 1, draws, processor seconds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#ifdef __BMI2__
#include <immintrin.h>
#endif

constexpr int SIDE = 4, CELLS = SIDE * SIDE, BLOCKS = CELLS;
constexpr int64_t ALL = (1 << CELLS) - 1;

static uint64_t wins[1024];

static void add_line(int64_t line) {
    for (int64_t x = 0; x <= ALL; x++)
        if ((x & line) == line) wins[x >> 6] |= 1ull << (x & 63);
}

static inline bool has_line(int64_t x) { return wins[x >> 6] >> (x & 63) & 1; }

struct State {
    int64_t player, status, winner, sent, bonus, ply, closed, won[2];
    int64_t taken[BLOCKS], planes[2][BLOCKS];
};

static inline int64_t playable(const State &s) {
    int64_t open = ALL & ~s.closed;
    int64_t destined = (s.sent ? int64_t(1) << (s.sent - 1) : ALL) & open;
    return destined ? destined : open;
}

static inline int count(const State &s) {
    int n = 0;
    for (int64_t m = playable(s); m; m &= m - 1) n += __builtin_popcountll(ALL & ~s.taken[__builtin_ctzll(m)]);
    return n;
}

static inline int nth_bit(int64_t x, int n) {
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64(1ull << n, x));
#endif
    int at = 0;
    for (int half = 8; half; half >>= 1) {
        int low = __builtin_popcountll(x >> at & ((1 << half) - 1));
        int up = n >= low;
        n -= low * up;
        at += half * up;
    }
    return at;
}

static inline int64_t nth(const State &s, int n) {
    int64_t m = playable(s), empty;
    int block;
    for (;; m &= m - 1) {
        block = __builtin_ctzll(m);
        empty = ALL & ~s.taken[block];
        int here = __builtin_popcountll(empty);
        if (n < here) break;
        n -= here;
    }
    return block << 4 | nth_bit(empty, n);
}

static inline void apply(State &s, int64_t spot) {
    int block = spot >> 4, cell = spot & 15;
    int64_t p = s.player;
    int64_t taken = s.taken[block] |= 1 << cell;
    int64_t placed = s.planes[p][block] |= 1 << cell;
    s.ply++;
    s.sent = cell + 1;
    int64_t again = 0;
    if (has_line(placed)) {
        int64_t won = s.won[p] |= 1 << block;
        s.closed |= 1 << block;
        if (has_line(won)) { s.status = 1; s.winner = p; return; }
        again = 1 - s.bonus;
    } else if (taken == ALL) {
        s.closed |= 1 << block;
    }
    if (s.closed == ALL) { s.status = 2; s.winner = -1; return; }
    s.bonus = again;
    s.player = p ^ 1 ^ again;
}

int main(int argc, char **argv) {
    uint64_t stream = strtoull(argv[1], nullptr, 10);
    int64_t games = atoll(argv[2]);
    for (int r = 0; r < SIDE; r++) {
        int64_t row = 0, col = 0;
        for (int c = 0; c < SIDE; c++) row |= 1 << (SIDE * r + c), col |= 1 << (SIDE * c + r);
        add_line(row), add_line(col);
    }
    for (int r = 1; r < SIDE - 1; r++)
        for (int c = 1; c < SIDE - 1; c++)
            add_line(1 << (SIDE * (r - 1) + c) | 1 << (SIDE * r + c - 1) | 1 << (SIDE * r + c + 1) | 1 << (SIDE * (r + 1) + c));
    clock_t start = clock();
    int64_t totals[4] = {};
    for (int64_t g = 0; g < games; g++) {
        State s;
        memset(&s, 0, sizeof s);
        while (!s.status) {
            stream ^= stream << 13, stream ^= stream >> 7, stream ^= stream << 17;
            apply(s, nth(s, (stream >> 32) * count(s) >> 32));
        }
        totals[0] += s.ply;
        totals[1 + (s.winner >= 0 ? s.winner : 2)]++;
    }
    double seconds = double(clock() - start) / CLOCKS_PER_SEC;
    printf("%ld %ld %ld %ld %.9f\n", long(totals[0]), long(totals[1]), long(totals[2]), long(totals[3]), seconds);
}
