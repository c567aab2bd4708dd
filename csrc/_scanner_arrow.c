/* Arrow tables: columns of text and numbers are read in place and interned, or scanned for judged documents.
 *
 * A buffer is bytes, or (address, size, owner). A column of text is (layout, count, offset, items, data, indices):
 * `data` are buffers, `indices` None or (width, rows, offset, buffer). A batch is (topics, documents, scores, ranks).
 */
#include "_scanner.h"
#include "rows.h"

static int buffer_of(PyObject *object, Buffer *buffer) {
    const void *bytes = NULL;
    Py_ssize_t size = items_of(object, 1, &bytes);
    if (size < 0) return -1;
    buffer->bytes = bytes;
    buffer->size = (size_t)size;
    return 0;
}

static int wrong(const char *what) {
    PyErr_SetString(PyExc_ValueError, what);
    return -1;
}

/* The indices of a column's rows; without indices the rows are the values. */
static int rows_of(PyObject *object, TextColumn *column) {
    PyObject *held;
    Py_ssize_t rows, offset;
    Buffer buffer;
    column->rows = column->count;
    if (object == Py_None) return 0;
    if (!PyArg_ParseTuple(object, "innO", &column->width, &rows, &offset, &held) || buffer_of(held, &buffer)) return -1;
    if (column->width != 1 && column->width != 2 && column->width != 4 && column->width != 8)
        return wrong("an index of 1, 2, 4 or 8 bytes");
    if (rows < 0 || offset < 0 || (size_t)(offset + rows) > buffer.size / (size_t)column->width)
        return wrong("more rows than indices");
    column->indices = buffer.bytes ? buffer.bytes + (size_t)offset * (size_t)column->width : "";
    column->rows = (size_t)rows;
    return 0;
}

/* Read and check a column: no value may lie outside its buffers, because later code does not check. The caller frees
 * `data` in any case. */
static int texts_of(PyObject *object, TextColumn *column, int *empty) {
    static const size_t widths[] = {4, 8, VIEW_BYTES};
    PyObject *items, *data, *indices;
    int layout;
    Py_ssize_t count, offset, buffers;
    Buffer held;
    memset(column, 0, sizeof *column);
    if (!PyArg_ParseTuple(object, "innOOO", &layout, &count, &offset, &items, &data, &indices)) return -1;
    if (layout < 0 || layout >= LAYOUTS || count < 0 || offset < 0) return wrong("no such column of text");
    if ((buffers = PyTuple_Size(data)) < 0 || buffer_of(items, &held)) return -1;
    column->layout = (TextLayout)layout;
    column->count = (size_t)count;
    if (count && (size_t)(offset + count + (layout != VIEWS)) > held.size / widths[layout])
        return wrong("more values than the column has");
    column->items = count ? held.bytes + (size_t)offset * widths[layout] : "";
    column->data = calloc((size_t)buffers + 1, sizeof(Buffer));
    if (!column->data) {
        PyErr_NoMemory();
        return -1;
    }
    for (; column->data_count < (size_t)buffers; column->data_count++)
        if (buffer_of(PyTuple_GetItem(data, (Py_ssize_t)column->data_count), column->data + column->data_count)) return -1;
    if (layout != VIEWS && column->data_count == 0) column->data_count = 1; /* all values are empty */
    if (rows_of(indices, column)) return -1;
    return texts_fit(column, empty) ? 0 : wrong("text outside of its buffer");
}

/* --- interning ----------------------------------------------------------------------------------------------------- */

/* The codes of the next rows. All are hashed before any is looked up, so that their prefetched slots are in the cache. */
static int intern_some(const uint64_t key[KEY_WORDS], const TextColumn *column, size_t first, Names *names,
                       int32_t *codes) {
    size_t end = column->rows - first < AHEAD ? column->rows : first + AHEAD;
    uint64_t hashes[AHEAD];
    Field texts[AHEAD + 1] = {{NULL, 0}};
    char same[AHEAD];
    if (first) texts[0] = value_at(column, first - 1);
    for (size_t i = first; i < end; i++) {
        Field text = texts[i - first + 1] = value_at(column, i), above = texts[i - first];
        /* topics repeat in consecutive rows */
        same[i - first] = (char)(i && same_field(text, above));
        if (same[i - first]) continue;
        hashes[i - first] = hash_bytes(key, text.start, text.length);
        names_expect(names, hashes[i - first]);
    }
    for (size_t i = first; i < end; i++) {
        Field text = texts[i - first + 1];
        codes[i] = same[i - first] ? codes[i - 1] : names_find(names, hashes[i - first], text.start, text.length);
        if (codes[i] < 0) codes[i] = names_add(names, hashes[i - first], text.start, text.length);
        if (codes[i] < 0) return 1;
    }
    return 0;
}

/* The same for a dictionary column: each value that is used is looked up once. */
static int intern_indices(const uint64_t key[KEY_WORDS], const TextColumn *column, Names *names, int32_t *codes) {
    int32_t *known = malloc((column->count + 1) * sizeof(int32_t));
    int failed = !known;
    if (failed) return 1;
    for (size_t i = 0; i < column->count; i++) known[i] = -1;
    for (size_t row = 0; row < column->rows && !failed; row++) {
        size_t i = index_at(column, row);
        if (known[i] < 0) {
            Field text = value_at(column, i);
            uint64_t hash = hash_bytes(key, text.start, text.length);
            known[i] = names_find(names, hash, text.start, text.length);
            if (known[i] < 0) known[i] = names_add(names, hash, text.start, text.length);
        }
        codes[row] = known[i];
        failed = known[i] < 0;
    }
    free(known);
    return failed;
}

static int intern_column(const uint64_t key[KEY_WORDS], const TextColumn *column, Names *names, int32_t *codes) {
    int failed = 0;
    if (column->indices) return intern_indices(key, column, names, codes);
    for (size_t i = 0; !failed && i < column->rows; i += AHEAD) failed = intern_some(key, column, i, names, codes);
    return failed;
}

/* intern(key, columns): the code of each row, and the names by first occurrence; None if a row is empty. */
PyObject *intern(PyObject *self, PyObject *args) {
    uint64_t key[KEY_WORDS];
    PyObject *secret, *columns, *out = NULL;
    Names names = {0};
    int32_t *codes = NULL;
    size_t count = 0, room = 0;
    int failed, empty = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &secret, &columns) || key_of(secret, key) || PyTuple_Size(columns) < 0) return NULL;
    failed = names_init(&names);
    for (Py_ssize_t i = 0; i < PyTuple_Size(columns) && !failed && !empty && !PyErr_Occurred(); i++) {
        TextColumn column;
        if (!texts_of(PyTuple_GetItem(columns, i), &column, &empty) && !empty) {
            Py_BEGIN_ALLOW_THREADS
            failed = reserve((void **)&codes, &room, count, column.rows + 1, sizeof(int32_t)) ||
                     intern_column(key, &column, &names, codes + count);
            Py_END_ALLOW_THREADS
            count += column.rows;
        }
        free(column.data);
    }
    if (failed) PyErr_NoMemory();
    else if (empty && !PyErr_Occurred()) out = Py_NewRef(Py_None);
    else if (!PyErr_Occurred()) out = Py_BuildValue("(NN)", small_numbers(codes, count), names_handed_over(&names));
    names_free(&names);
    free(codes);
    return out;
}

/* has_empty(columns): whether some row of some column of text is empty. */
PyObject *has_empty(PyObject *self, PyObject *columns) {
    int empty = 0;
    (void)self;
    for (Py_ssize_t i = 0; i < PyTuple_Size(columns) && !empty; i++) {
        TextColumn column;
        int failed = texts_of(PyTuple_GetItem(columns, i), &column, &empty);
        free(column.data);
        if (failed) return NULL;
    }
    return PyErr_Occurred() ? NULL : PyBool_FromLong(empty);
}

/* --- runs ---------------------------------------------------------------------------------------------------------- */

static int batch_of(PyObject *object, RowBatch *batch) {
    PyObject *topics, *documents, *scores, *ranks;
    Buffer numbers;
    int empty;
    if (!PyArg_ParseTuple(object, "OOOO", &topics, &documents, &scores, &ranks)) return -1;
    if (texts_of(topics, &batch->topics, &empty) || texts_of(documents, &batch->documents, &empty)) return -1;
    if (batch->topics.rows != batch->documents.rows) return wrong("columns of different lengths");
    if (buffer_of(scores, &numbers)) return -1;
    batch->scores = numbers.bytes;
    if (numbers.size / 8 != batch->topics.rows) return wrong("columns of different lengths");
    if (ranks == Py_None) return 0;
    if (buffer_of(ranks, &numbers)) return -1;
    batch->ranks = numbers.bytes;
    return numbers.size / 8 == batch->topics.rows ? 0 : wrong("columns of different lengths");
}

static int picked_of(PyObject *object, RowSource *source, size_t rows) {
    Buffer picked;
    int64_t above = -1;
    source->count = rows;
    if (object == Py_None) return 0;
    if (buffer_of(object, &picked)) return -1;
    source->picked = picked.bytes ? picked.bytes : "";
    source->count = picked.size / 8;
    for (size_t k = 0; k < source->count; k++) {
        int64_t row = int64_at(source->picked, k);
        if (row <= above || (size_t)row >= rows) return wrong("rows that are not there, or not in their order");
        above = row;
    }
    return 0;
}

static int source_of(PyObject *batches, PyObject *picked, RowSource *source) {
    Py_ssize_t count = PyTuple_Size(batches);
    size_t rows = 0;
    memset(source, 0, sizeof *source);
    if (count < 0) return -1;
    source->batches = calloc((size_t)count + 1, sizeof(RowBatch));
    if (!source->batches) {
        PyErr_NoMemory();
        return -1;
    }
    for (; source->batch_count < (size_t)count; source->batch_count++) {
        RowBatch *batch = source->batches + source->batch_count;
        batch->start = rows;
        if (batch_of(PyTuple_GetItem(batches, (Py_ssize_t)source->batch_count), batch)) {
            source->batch_count++; /* so that its memory is freed too */
            return -1;
        }
        rows += batch->topics.rows;
    }
    return picked_of(picked, source, rows);
}

static void source_free(RowSource *source) {
    for (size_t i = 0; i < source->batch_count; i++) {
        free(source->batches[i].topics.data);
        free(source->batches[i].documents.data);
    }
    free(source->batches);
}

/* rows(judged, orders, collect, batches, picked): the status, and the result or None. */
PyObject *rows(PyObject *self, PyObject *args) {
    PyObject *judged, *codes, *batches, *picked, *out = NULL;
    int collect;
    RowSource source;
    Scan *scan = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOpOO", &judged, &codes, &collect, &batches, &picked)) return NULL;
    if (!source_of(batches, picked, &source) && (scan = scan_for(judged, codes, collect))) {
        Py_BEGIN_ALLOW_THREADS
        if (scan_rows(scan, &source) == SCAN_OK) scan_finish(scan);
        Py_END_ALLOW_THREADS
        out = scan_found(scan);
    }
    scan_free(scan);
    source_free(&source);
    return out;
}
