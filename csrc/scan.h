/* Shared by the two parts of a scan: scan.c scans lines, ordering.c orders the topics that need it. */
#ifndef DIVEVAL_SCAN_H
#define DIVEVAL_SCAN_H

#include "core.h"
#include "judged.h"
#include "texts.h"
#include "spaces.h"
#include "text.h"

/* Fuzzing makes these tiny, so that every boundary is tested often. */
#if !defined(SCAN_BLOCK)
#define SCAN_BLOCK (16 * 1024)
#define SCAN_CHUNK (256 * 1024)
#define SCAN_ROOM (1024 * 1024)
#define SCAN_FIRST_LENGTH 10000
#define SCAN_ROWS 1024
#define SCAN_UNLIKE 8
#endif

enum {
    BLOCK = SCAN_BLOCK,               /* bytes whose white space is indexed at once */
    CHUNK = SCAN_CHUNK,               /* read from a file at once */
    FIRST_ROOM = SCAN_ROOM,           /* of the buffer */
    FIRST_LENGTH = SCAN_FIRST_LENGTH, /* lines that a run's first topic is taken to have */
    PADDING = 256,                    /* readable bytes behind the buffer's end */
    ALIKE = 64,                       /* bytes before, of and behind the document of a line like the one above */
    LEAST_LINE = 12,                  /* bytes of a line with six fields */
    UNLIKE = SCAN_UNLIKE,             /* lines of a block, unlike the line above, after which the rest is marked */
    BLOCKS_UNLIKE = 7,                /* blocks after such a one that are marked at once */
    ROWS_AHEAD = SCAN_ROWS,           /* of a table, for which there is room */
    SUSPECTS = 64                     /* repetitions looked up one by one; more, and the topic is ordered at once */
};

/* Facts about the lines of a topic so far. */
enum {
    SCORE_ROSE = 1,  /* a higher score below a lower one */
    TIE_ROSE = 2,    /* equal scores, the greater name below: not docno-desc */
    TIE_FELL = 4,    /* equal scores, the lesser name below: not docno-asc */
    RANK_FELL = 8,   /* a lower rank below a higher one */
    RANK_BROKEN = 16, /* a rank that is not a whole number: the topic has no ranks */
    REPEATED = 32    /* possibly a repeated document */
};

/* One line of a topic that has to be ordered. */
typedef struct {
    double score;
    int64_t rank;
    const char *name;
    uint32_t length, place; /* place: line within the topic */
    int32_t row;            /* of the judgments, -1 if not judged */
} Entry;

typedef struct {
    Entry *entries;
    size_t count, room;
    unsigned flags; /* RANK_BROKEN */
} Entries;

typedef struct {
    int32_t judged; /* its index in the judged set, -1 if not judged */
    int64_t length;
    Entries entries; /* only where everything is collected */
} Topic;

typedef struct {
    int32_t *ranks, *rows; /* a topic has fewer lines than 2^31 */
    int64_t *starts;
    size_t count, rank_room, row_room, start_count, start_room;
} Hits;

/* The topic that is being read. */
typedef struct {
    const JudgedTopic *judged;
    size_t start;          /* offset of its first line in the buffer, or number of its first row */
    const RowBatch *batch; /* of its first row */
    int64_t count;
    double score;
    int64_t rank;
    const char *name;
    size_t name_length;
    unsigned flags;
    uint64_t *seen;   /* a filter of its documents: four bits of one word for each */
    uint64_t *hashes; /* of its documents, line by line, to tell true repetitions from the filter's */
    unsigned seen_shift;
    uint32_t suspect_count;
    int64_t suspects[SUSPECTS]; /* lines whose document the filter has seen before */
    int32_t *hit_ranks, *hit_rows;
    size_t hit_count;
} Segment;

/* The least and the greatest that each byte may be, of which there are `length`; beyond, anything. */
typedef struct {
    size_t length;
    unsigned char low[ALIKE], high[ALIKE];
} Bounds;

/* A number within `behind`: its bytes are digits, a sign and a point at their places. */
typedef struct {
    size_t start, length;
    int negative;
    uint64_t mask[2];  /* its bytes, the first the most significant, in two words */
    uint64_t above[2]; /* of the line above */
} Numeral;

/* What a line like the one above looks like before and behind its document. */
typedef struct {
    int known;
    Bounds before, behind;
    Numeral rank, score;
} Likeness;

typedef struct Chunk {
    struct Chunk *next;
    size_t size, room;
    char bytes[];
} Chunk;

struct Scan {
    const Judged *judged;
    Order orders[MAX_ORDERS];
    int order_count, collect;
    ScanStatus status;
    char *buffer;
    size_t room, end, line; /* line: where the first unread line starts */
    int begun;              /* something was read: no byte order mark can follow */
    int open;               /* a segment is being read */
    Segment segment;
    size_t seen_words, hash_room, rank_room, row_room;
    Likeness likeness;
    int way;            /* to look at lines that are alike, in alike.h */
    int blocks_unlike;  /* blocks to come in which no line is looked for that is like the one above */
    size_t lines_ahead; /* no more lines than these in the block that is being read */
    uint32_t *index;
    Names names; /* of topics */
    char *tag;
    size_t tag_length, tag_room;
    Topic *topics;
    size_t topic_count, topic_room;
    Hits hits[MAX_ORDERS];
    int64_t contradictions;
    Entries sorting;  /* the entries of one segment */
    Chunk *kept;      /* names that outlive the buffer */
    const RowSource *rows; /* where the run is a table; NULL where it is text */
};

/* Of a topic of the run, what is judged; NULL if nothing is. */
const JudgedTopic *judged_topic(const Scan *scan, const Topic *topic);
ScanStatus add_topic(Scan *scan, Field name, uint64_t hash);
/* The topic of this name where all lines are collected, made if it is new. */
ScanStatus find_topic(Scan *scan, Field name, Topic **topic);
/* Reserve room for all lines of the current block, so that no line has to check. */
ScanStatus make_room(Scan *scan);
ScanStatus open_segment(Scan *scan, Field name, size_t start);
ScanStatus close_segment(Scan *scan, size_t end);
/* A copy of a text of the buffer; NULL means no memory. */
const char *keep_text(Scan *scan, Field text);
/* Keep a line for ordering; a rank of NO_RANK is none. */
ScanStatus entries_add(Scan *scan, Entries *entries, const JudgedTopic *judged, Field name, int64_t rank, double score);
ScanStatus add_line(Scan *scan, Entries *entries, const JudgedTopic *judged, const Line *line);
/* Order the open topic, whose last row is just before `end`. */
ScanStatus order_rows(Scan *scan, size_t end);
/* Order a topic's entries in every requested order, and store its hits. */
ScanStatus entries_finish(Scan *scan, Entries *entries, const JudgedTopic *judged);
/* Write down a topic's hits, which stand in order. */
ScanStatus hits_add(Hits *hits, const int32_t *ranks, const int32_t *rows, size_t count);
/* Close the list of a topic. */
ScanStatus hits_close(Hits *hits);

#endif
