/* The Python module of the scanner. It uses the stable ABI: one compiled file works with every Python from 3.10 on.
 *
 *   judged_set(key, topics, starts, codes, documents)   names are (bytes, offsets); a topic's documents are codes
 *   open(judged, orders, collect)   orders: bytes, one Order each
 *   feed(scan, data)                bytes; returns the status
 *   read(scan, descriptor)          reads a file to its end; returns the status and the seconds spent waiting for bytes
 *   finish(scan)                    the status, and the result or None
 *   table(key, runs)                a table of judgments or of a run's lines, fed with complete lines
 *   table_feed(table, data), table_finish(table)
 *   intern(key, columns)            the code of each row, and the distinct names; columns as in _scanner_arrow.c
 *   has_empty(columns), rows(judged, orders, collect, batches, picked)
 *   standing(names, natural), repeated(starts, codes, most), match_topics(judged, names)
 *   group(topics, aspects, documents, codes of each, grades)    judgments by topic, aspect and document
 *   match(judged, topics, codes, documents)     the row of each line's document among its topic's judged documents
 *   score_lines(start, names, separator, counted, values)       lines of a CSV, each value as repr writes it
 *   keep_memory()                   reuse freed memory, for a process that evaluates once
 */
#include "_scanner.h"

#include <errno.h>
#include <limits.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "number.h"

static const char *const SCAN = "diveval.scan";
enum { PIECE = 1024 * 1024, LAYOUT = 5 }; /* LAYOUT: the version of arguments and results, checked by diveval/system/scanner.py */

static void free_judged(PyObject *capsule) {
    PyObject *borrowed = PyCapsule_GetContext(capsule);
    judged_free(PyCapsule_GetPointer(capsule, JUDGED));
    Py_XDECREF(borrowed);
}

static void free_scan(PyObject *capsule) {
    PyObject *judged = PyCapsule_GetContext(capsule);
    scan_free(PyCapsule_GetPointer(capsule, SCAN));
    Py_XDECREF(judged);
}

static PyObject *judged_set(PyObject *self, PyObject *args) {
    uint64_t key[KEY_WORDS];
    PyObject *secret, *topic_pair, *start_bytes, *code_bytes, *document_pair, *capsule;
    const void *starts;
    const int32_t *codes;
    Py_ssize_t count, code_count;
    Strings topics, documents;
    Judged *judged;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOO", &secret, &topic_pair, &start_bytes, &code_bytes, &document_pair)) return NULL;
    if (key_of(secret, key) || strings_of(topic_pair, &topics) || strings_of(document_pair, &documents)) return NULL;
    if ((count = items_of(start_bytes, sizeof(int64_t), &starts)) < 0) return NULL;
    if ((code_count = codes_of(code_bytes, 0, documents.count, &codes)) < 0) return NULL;
    for (Py_ssize_t i = 1; i < count; i++)
        if (((const int64_t *)starts)[i] < ((const int64_t *)starts)[i - 1]) count = 0;
    if (count != (Py_ssize_t)topics.count + 1 || ((const int64_t *)starts)[0] != 0 ||
        ((const int64_t *)starts)[count - 1] != code_count)
        return PyErr_Format(PyExc_ValueError, "starts that do not fit the topics");
    judged = judged_new(key, topics, starts, codes, documents);
    if (!judged) return PyErr_NoMemory();
    capsule = PyCapsule_New(judged, JUDGED, free_judged);
    if (!capsule) {
        judged_free(judged);
        return NULL;
    }
    Py_INCREF(args); /* the set points into these bytes */
    PyCapsule_SetContext(capsule, args);
    return capsule;
}

Scan *scan_for(PyObject *judged, PyObject *orders, int collect) {
    const void *items;
    const unsigned char *codes;
    Py_ssize_t count = items_of(orders, 1, &items);
    Order asked[MAX_ORDERS];
    Judged *known = PyCapsule_GetPointer(judged, JUDGED);
    Scan *scan;
    if (count < 0 || !known) return NULL;
    codes = items;
    if (count < 1 || count > MAX_ORDERS) {
        PyErr_Format(PyExc_ValueError, "1 to %d orders", (int)MAX_ORDERS);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (codes[i] > AS_FILED) {
            PyErr_SetString(PyExc_ValueError, "no such order");
            return NULL;
        }
        asked[i] = (Order)codes[i];
    }
    scan = scan_new(known, asked, (int)count, collect);
    if (!scan) PyErr_NoMemory();
    return scan;
}

static PyObject *open_scan(PyObject *self, PyObject *args) {
    PyObject *judged, *orders, *capsule;
    int collect;
    Scan *scan;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOp", &judged, &orders, &collect)) return NULL;
    if (!(scan = scan_for(judged, orders, collect))) return NULL;
    capsule = PyCapsule_New(scan, SCAN, free_scan);
    if (!capsule) {
        scan_free(scan);
        return NULL;
    }
    Py_INCREF(judged);
    PyCapsule_SetContext(capsule, judged);
    return capsule;
}

static PyObject *feed(PyObject *self, PyObject *args) {
    PyObject *capsule;
    const char *bytes;
    Py_ssize_t length;
    Scan *scan;
    ScanStatus status = SCAN_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oy#", &capsule, &bytes, &length)) return NULL;
    if (!(scan = PyCapsule_GetPointer(capsule, SCAN))) return NULL;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t done = 0; done < length && status == SCAN_OK;) {
        size_t piece = length - done < PIECE ? (size_t)(length - done) : PIECE;
        char *room = scan_room(scan, piece);
        if (!room) {
            status = SCAN_NO_MEMORY;
            break;
        }
        memcpy(room, bytes + done, piece);
        status = scan_added(scan, piece);
        done += (Py_ssize_t)piece;
    }
    Py_END_ALLOW_THREADS
    return status_of(status);
}

static PyObject *read_file(PyObject *self, PyObject *args) {
    PyObject *capsule;
    int descriptor, error;
    double seconds;
    Scan *scan;
    ScanStatus status;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &descriptor)) return NULL;
    if (!(scan = PyCapsule_GetPointer(capsule, SCAN))) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = scan_descriptor(scan, descriptor, &error, &seconds);
    Py_END_ALLOW_THREADS
    if (error) {
        errno = error;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return status == SCAN_NO_MEMORY ? PyErr_NoMemory() : Py_BuildValue("(id)", (int)status, seconds);
}

/* Name, index in the judged set and length of each topic, in file order. */
static PyObject *topics_found(const Scan *scan) {
    size_t count = scan_topic_count(scan);
    int64_t *both = malloc((2 * count + 1) * sizeof(int64_t));
    PyObject *out = NULL;
    if (!both) return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        ScannedTopic topic = scan_topic(scan, i);
        both[i] = topic.judged;
        both[count + i] = topic.length;
    }
    out = Py_BuildValue("(NNN)", strings_found(scan_topic_names(scan)), numbers(both, count),
                        numbers(both + count, count));
    free(both);
    return out;
}

static PyObject *orders_found(const Scan *scan, int order_count) {
    PyObject *list = PyList_New(order_count);
    for (int i = 0; list && i < order_count; i++) {
        ScannedOrder order = scan_order(scan, i);
        PyObject *item = Py_BuildValue("(NNN)", numbers(order.starts, scan_topic_count(scan) + 1),
                                       small_numbers(order.ranks, order.count),
                                       small_numbers(order.rows, order.count));
        if (!item || PyList_SetItem(list, i, item)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

PyObject *scan_found(const Scan *scan) {
    ScanStatus status = scan_state(scan);
    size_t tag_length;
    const char *tag = scan_tag(scan, &tag_length);
    if (status == SCAN_NO_MEMORY) return PyErr_NoMemory();
    if (status != SCAN_OK) return Py_BuildValue("(iO)", (int)status, Py_None);
    return Py_BuildValue("(i(s#LNN))", (int)status, tag ? tag : "", (Py_ssize_t)tag_length,
                         (long long)scan_contradictions(scan), topics_found(scan),
                         orders_found(scan, scan_order_count(scan)));
}

static PyObject *finish(PyObject *self, PyObject *args) {
    PyObject *capsule;
    Scan *scan;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    if (!(scan = PyCapsule_GetPointer(capsule, SCAN))) return NULL;
    Py_BEGIN_ALLOW_THREADS
    scan_finish(scan);
    Py_END_ALLOW_THREADS
    return scan_found(scan);
}

/* Without these settings malloc maps and unmaps every large array, which takes a third of the time of a large evaluation. */
static PyObject *keep_memory(PyObject *self, PyObject *args) {
    (void)self;
    if (!PyArg_ParseTuple(args, "")) return NULL;
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 16 * 1024 * 1024);
#endif
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"judged_set", judged_set, METH_VARARGS, "A hash table of the judged documents."},
    {"open", open_scan, METH_VARARGS, "A new scan."},
    {"feed", feed, METH_VARARGS, "The next bytes of the file."},
    {"read", read_file, METH_VARARGS, "Read a file descriptor to its end."},
    {"finish", finish, METH_VARARGS, "The end of the file: status and result."},
    {"table", new_table, METH_VARARGS, "A table of judgments or of a run's lines."},
    {"table_feed", table_feed, METH_VARARGS, "The next complete lines of the file."},
    {"table_finish", table_finish, METH_VARARGS, "The end of the file: its columns."},
    {"intern", intern, METH_VARARGS, "The code of each row of columns of text."},
    {"has_empty", has_empty, METH_O, "Whether a row of columns of text is empty."},
    {"rows", rows, METH_VARARGS, "A run that is a table: what was found."},
    {"standing", standing, METH_VARARGS, "The position of each name in ascending or natural order."},
    {"repeated", repeated, METH_VARARGS, "Which codes stood above in their group."},
    {"group", group, METH_VARARGS, "Judgments by topic, aspect and document."},
    {"match_topics", match_topics, METH_VARARGS, "The index of each name among the judged topics."},
    {"match", match, METH_VARARGS, "The judged row of each line's document."},
    {"score_lines", score_lines, METH_VARARGS, "Lines of a CSV of scores."},
    {"keep_memory", keep_memory, METH_VARARGS, "Memory that was freed is used again, not given back."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_scanner", "Ranks of judged documents, straight from a run's bytes.", -1, methods,
    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scanner(void) {
    PyObject *made = PyModule_Create(&module);
    number_prepare();
    if (made && PyModule_AddIntConstant(made, "LAYOUT", LAYOUT)) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
