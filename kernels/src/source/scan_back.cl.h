/* Tiles of one line that several groups take: each leaves the sum of its tile, and looks back at those before.

   What groups leave are words, which stand before this text. A group's
   ticket says which tile is its own. Groups with lower tickets have begun, and wait for none with a higher one, so that no group
   waits forever, however few there are at a time.
   The sum before a tile is always made in one way, whatever has been left when it is asked for: BUNCH tiles are added up, then
   bunches, each from the first on. heads[b] is the sum before bunch b, which the last group of the bunch before leaves. */

/* Words of a sum. */
#define PARTS ELEMENT
/* Tiles of a bunch; a group looks back at WAYS bunches. */
#define BUNCH 16

/* Both words of a complex number are looked at alone: each is either empty or what was left. */
FN void total_leave(volatile GLOBAL word* p, total a) {
#if ELEMENT == 1
  WORD_STORE(p, as_word(a));
#else
  WORD_STORE(p, as_word(a.re));
  WORD_STORE(p + 1, as_word(a.im));
#endif
}
/* Whether *p is there; then it is *a. */
FN int total_look(volatile GLOBAL word* p, total* a) {
#if ELEMENT == 1
  const word w = WORD_LOAD(p);
  *a = VALUE(w);
  return w != (word)EMPTY;
#else
  const word re = WORD_LOAD(p), im = WORD_LOAD(p + 1);
  *a = t_make(VALUE(re), VALUE(im));
  return re != (word)EMPTY && im != (word)EMPTY;
#endif
}

/* The sum before tile t of each of COLUMNS lines, for the line of the thread. `tiles` and `heads` are those of these lines, `own` is
   the sum of tile t. The whole group comes here. */
FN total look_back(volatile GLOBAL word* tiles, volatile GLOBAL word* heads, i64 t, total own, LOCAL total* parts,
                   LOCAL total* found, LOCAL int* ready, int thread) {
  const i64 bunch = t / BUNCH, oldest = bunch < WAYS - 1 ? 0 : bunch - (WAYS - 1), first = oldest * BUNCH;
  const int newest = (int)(bunch - oldest), count = (int)(t - first) * COLUMNS, c = thread % COLUMNS;
  for (int k = thread; k < (newest + 1) * BUNCH * COLUMNS; k += THREADS) {
    total part = t_zero();
    if (k < count) {
      volatile GLOBAL word* from = tiles + (first * COLUMNS + k) * PARTS;
      while (!total_look(from, &part)) {}
    }
    parts[k] = part;
  }
  int from;
  do {
    for (int k = thread; k < (newest + 1) * COLUMNS; k += THREADS) {
      total sum = t_zero();
      ready[k] = oldest + k / COLUMNS == 0 || total_look(heads + (oldest * COLUMNS + k) * PARTS, &sum);
      found[k] = sum;
    }
    BARRIER();
    from = newest;
    while (from >= 0 && !ready[from * COLUMNS]) from--;
    /* All have seen it before the next look. */
    BARRIER();
  } while (from < 0);
  /* Bunches from there on are added up, each by threads of its own. */
  for (int k = from * COLUMNS + thread; k < (newest + 1) * COLUMNS; k += THREADS) {
    total sum = t_zero();
    UNROLL for (int u = 0; u < BUNCH; u++) sum = t_add(sum, parts[(k / COLUMNS * BUNCH + u) * COLUMNS + k % COLUMNS]);
    if (k < (from + 1) * COLUMNS && !ready[k]) {
      total head = t_zero();
      while (!total_look(heads + (oldest * COLUMNS + k) * PARTS, &head)) {}
      found[k] = head;
    }
    /* The first place of a bunch is its own. */
    parts[k / COLUMNS * BUNCH * COLUMNS + k % COLUMNS] = sum;
  }
  BARRIER();
  total sum = found[from * COLUMNS + c];
  for (int k = from; k < newest; k++) sum = t_add(sum, parts[k * BUNCH * COLUMNS + c]);
  const total last = parts[newest * BUNCH * COLUMNS + c];
  if (thread < COLUMNS && t % BUNCH == BUNCH - 1) {
    total_leave(heads + ((bunch + 1) * COLUMNS + c) * PARTS, t_add(sum, t_add(last, own)));
  }
  return t_add(sum, last);
}

/* What a group is to do. The states begin with four numbers: groups that have begun, groups that have ended, which half of
   the words is in use, and how many words are to be emptied in the other half, which the kernel before has used. */
typedef struct { i64 ticket; volatile GLOBAL word* words; } turn;

/* The whole group comes here. */
FN turn turn_take(GLOBAL unsigned char* states, i64 half_words, i64 groups, LOCAL u32* shared, int thread) {
  volatile GLOBAL u32* head = (volatile GLOBAL u32*)states;
  if (thread == 0) {
    shared[0] = COUNT_UP(head);
    shared[1] = head[2];
    shared[2] = head[3];
  }
  BARRIER();
  turn mine;
  mine.ticket = (i64)shared[0];
  volatile GLOBAL word* both = (volatile GLOBAL word*)(states + 16);
  mine.words = both + (shared[1] ? half_words : 0);
  volatile GLOBAL word* other = both + (shared[1] ? 0 : half_words);
  const i64 used = (i64)shared[2], end = (mine.ticket + 1) * used / groups;
  for (i64 w = mine.ticket * used / groups + thread; w < end; w += THREADS) other[w] = (word)EMPTY;
  return mine;
}

/* The whole group comes here when it has read all it needs. */
FN void turn_end(GLOBAL unsigned char* states, i64 used, i64 groups, int thread) {
  BARRIER_ALL();
  if (thread == 0) {
    volatile GLOBAL u32* head = (volatile GLOBAL u32*)states;
    DEVICE_FENCE();
    if (COUNT_UP(head + 1) == (u32)groups - 1u) {
      DEVICE_FENCE();
      head[0] = 0u;
      head[1] = 0u;
      head[2] = 1u - head[2];
      head[3] = (u32)used;
    }
  }
}
