/* Shared by the parts of a scan: scan.c and rows.c scan lines and rows, segment.c begins and ends topics, ordering.c sorts
 * the topics that need it. */
#ifndef DIVEVAL_SCAN_H
#define DIVEVAL_SCAN_H

#include "core.h"
#include "judged.h"
#include "texts.h"
#include "spaces.h"
#include "text.h"

/* The fuzzer makes these tiny, so that boundaries are tested often. */
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
    FIRST_ROOM = SCAN_ROOM,           /* initial size of the buffer */
    FIRST_LENGTH = SCAN_FIRST_LENGTH, /* assumed number of lines of a run's first topic */
    PADDING = 256,                    /* readable bytes after the buffer's end: vector loads and word loads read beyond a line */
    ALIKE = 64,                       /* most bytes before, in and after the document of a line like the one above */
    LEAST_LINE = 12,                  /* shortest line with six fields, in bytes */
    UNLIKE = SCAN_UNLIKE,             /* lines of a block, unlike the line above, after which the rest of the block is marked */
    BLOCKS_UNLIKE = 7,                /* blocks that are then marked from the start */
    ROWS_AHEAD = SCAN_ROWS,           /* rows of a table for which room is made at once */
    SUSPECTS = 64                     /* possible repetitions that are checked one by one; with more the topic is sorted */
};

/* Facts about the lines of a topic so far. */
enum {
    SCORE_ROSE = 1,  /* a higher score below a lower one */
    TIE_ROSE = 2,    /* equal scores, the greater name below: not docno-desc */
    TIE_FELL = 4,    /* equal scores, the lesser name below: not docno-asc */
    RANK_FELL = 8,   /* a lower rank below a higher one */
    RANK_BROKEN = 16, /* a rank that is not an integer: the topic has no ranks */
    REPEATED = 32    /* possibly a repeated document */
};

/* One line of a topic that has to be sorted. */
typedef struct {
    double score;
    int64_t rank;
    const char *name;
    uint32_t length, place; /* place: number of the line within the topic */
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
    Entries entries; /* only with `collect` */
} Topic;

typedef struct {
    int32_t *ranks, *rows; /* a topic has fewer lines than 2^31 */
    int64_t *starts;
    size_t count, rank_room, row_room, start_count, start_room;
} Hits;

/* The topic being read. */
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
    uint64_t *hashes; /* of its documents, line by line, to confirm the repetitions that the filter reports */
    unsigned seen_shift;
    uint32_t suspect_count;
    int64_t suspects[SUSPECTS]; /* lines whose document the filter reports as seen */
    int32_t *hit_ranks, *hit_rows;
    size_t hit_count;
} Segment;

/* The smallest and the largest value of each of `length` bytes; further bytes are not restricted. */
typedef struct {
    size_t length;
    unsigned char low[ALIKE], high[ALIKE];
} Bounds;

/* A number within `behind`: digits, and a sign and a point at fixed positions. */
typedef struct {
    size_t start, length;
    int negative;
    uint64_t mask[2];  /* selects its bytes in two words, the first byte most significant */
    uint64_t above[2]; /* of the line above */
} Numeral;

/* What a line must look like, before and after its document, to be like the one above. */
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
    int begun;              /* the first line was read: no byte order mark can follow */
    int open;               /* a segment is being read */
    Segment segment;
    size_t seen_words, hash_room, rank_room, row_room;
    Likeness likeness;
    int simd;            /* instructions for lines that are alike: see alike.h */
    int blocks_unlike;  /* number of following blocks that are marked from the start */
    size_t lines_ahead; /* upper bound of the lines in the block being read */
    uint32_t *index;
    Names names; /* of the topics */
    char *tag;
    size_t tag_length, tag_room;
    Topic *topics;
    size_t topic_count, topic_room;
    Hits hits[MAX_ORDERS];
    int64_t contradictions;
    Entries sorting;  /* the entries of one segment */
    Chunk *kept;      /* names that outlive the buffer */
    const RowSource *rows; /* if the run is a table; NULL if it is text */
};

/* The judged documents of a topic of the run; NULL if it is not judged. */
const JudgedTopic *judged_topic(const Scan *scan, const Topic *topic);
ScanStatus add_topic(Scan *scan, Field name, uint64_t hash);
/* The topic of this name, added if it is new; used with `collect`. */
ScanStatus find_topic(Scan *scan, Field name, Topic **topic);
/* Reserve room for all lines of the current block, so that no line has to check. */
ScanStatus make_room(Scan *scan);
ScanStatus open_segment(Scan *scan, Field name, size_t start);
ScanStatus close_segment(Scan *scan, size_t end);
/* A copy of text of the buffer; NULL means no memory. */
const char *keep_text(Scan *scan, Field text);
/* Keep a line for sorting; NO_RANK means that it has no rank. */
ScanStatus entries_add(Scan *scan, Entries *entries, const JudgedTopic *judged, Field name, int64_t rank, double score);
ScanStatus add_line(Scan *scan, Entries *entries, const JudgedTopic *judged, const Line *line);
/* Sort the open topic, whose last row is just before `end`. */
ScanStatus order_rows(Scan *scan, size_t end);
/* Sort a topic's entries in every requested order and store its hits. */
ScanStatus entries_finish(Scan *scan, Entries *entries, const JudgedTopic *judged);
/* Store a topic's hits, which are in order. */
ScanStatus hits_add(Hits *hits, const int32_t *ranks, const int32_t *rows, size_t count);
/* End the list of a topic. */
ScanStatus hits_close(Hits *hits);

#endif
