/* The scanner for Python, on the stable ABI: one compiled file serves every version from 3.10 on.
 *
 *   judged_set(key, topics)         key: random bytes; topics: a sequence of (topic, documents)
 *   open(judged, orders, collect)   orders: bytes, one Order each
 *   feed(scan, data)                bytes; returns the status
 *   read(scan, descriptor)          a file to its end; returns the status and the seconds spent waiting for bytes
 *   finish(scan)                    the status, and what was found or None
 *   judgments(key, data)            a whole file of judgments, grouped by topic; None if unusual
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>

#include "columns.h"
#include "core.h"
#include "number.h"

static const char *const JUDGED = "diveval.judged", *const SCAN = "diveval.scan";
enum { PIECE = 1024 * 1024 };

static void free_judged(PyObject *capsule) { judged_free(PyCapsule_GetPointer(capsule, JUDGED)); }

static void free_scan(PyObject *capsule) {
    PyObject *judged = PyCapsule_GetContext(capsule);
    scan_free(PyCapsule_GetPointer(capsule, SCAN));
    Py_XDECREF(judged);
}

/* Text as UTF-8 into one of the core's adders; -1 with an error set. */
static int add_name(Judged *judged, PyObject *text, int (*add)(Judged *, const char *, size_t)) {
    Py_ssize_t length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (!bytes) return -1;
    if (add(judged, bytes, (size_t)length)) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static int add_topic(Judged *judged, PyObject *pair) {
    PyObject *name, *documents;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(pair, "OO", &name, &documents)) return -1;
    if (add_name(judged, name, judged_add_topic)) return -1;
    count = PySequence_Size(documents);
    if (count < 0) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *document = PySequence_GetItem(documents, i);
        int failed = !document || add_name(judged, document, judged_add_document);
        Py_XDECREF(document);
        if (failed) return -1;
    }
    return 0;
}

static PyObject *judged_set(PyObject *self, PyObject *args) {
    uint64_t key[KEY_WORDS];
    const char *bytes;
    Py_ssize_t length, count;
    PyObject *topics, *capsule;
    Judged *judged;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#O", &bytes, &length, &topics)) return NULL;
    if (length != (Py_ssize_t)sizeof key) return PyErr_Format(PyExc_ValueError, "the key has %zu bytes", sizeof key);
    memcpy(key, bytes, sizeof key);
    judged = judged_new(key);
    if (!judged) return PyErr_NoMemory();
    count = PySequence_Size(topics);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *pair = PySequence_GetItem(topics, i);
        int failed = !pair || add_topic(judged, pair);
        Py_XDECREF(pair);
        if (failed) count = -1;
    }
    if (count >= 0 && judged_seal(judged)) {
        PyErr_NoMemory();
        count = -1;
    }
    capsule = count < 0 ? NULL : PyCapsule_New(judged, JUDGED, free_judged);
    if (!capsule) judged_free(judged);
    return capsule;
}

static PyObject *open_scan(PyObject *self, PyObject *args) {
    PyObject *judged, *capsule;
    const char *bytes;
    Py_ssize_t count;
    int collect;
    Order orders[MAX_ORDERS];
    Judged *known;
    Scan *scan;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oy#p", &judged, &bytes, &count, &collect)) return NULL;
    if (!(known = PyCapsule_GetPointer(judged, JUDGED))) return NULL;
    if (count < 1 || count > MAX_ORDERS) return PyErr_Format(PyExc_ValueError, "1 to %d orders", (int)MAX_ORDERS);
    for (Py_ssize_t i = 0; i < count; i++) {
        if ((unsigned char)bytes[i] > AS_FILED) return PyErr_Format(PyExc_ValueError, "no such order");
        orders[i] = (Order)bytes[i];
    }
    scan = scan_new(known, orders, (int)count, collect);
    if (!scan) return PyErr_NoMemory();
    capsule = PyCapsule_New(scan, SCAN, free_scan);
    if (!capsule) {
        scan_free(scan);
        return NULL;
    }
    Py_INCREF(judged);
    PyCapsule_SetContext(capsule, judged);
    return capsule;
}

static PyObject *status_of(ScanStatus status) {
    return status == SCAN_NO_MEMORY ? PyErr_NoMemory() : PyLong_FromLong(status);
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

static PyObject *numbers(const int64_t *values, size_t count) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof(int64_t)));
}

static PyObject *topics_found(const Scan *scan) {
    size_t count = scan_topic_count(scan);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        ScannedTopic topic = scan_topic(scan, i);
        PyObject *item = Py_BuildValue("(s#LL)", topic.name, (Py_ssize_t)topic.name_length, (long long)topic.judged,
                                       (long long)topic.length);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *orders_found(const Scan *scan, int order_count) {
    PyObject *list = PyList_New(order_count);
    for (int i = 0; list && i < order_count; i++) {
        ScannedOrder order = scan_order(scan, i);
        PyObject *item = Py_BuildValue("(NNN)", numbers(order.starts, scan_topic_count(scan) + 1),
                                       numbers(order.ranks, order.count), numbers(order.rows, order.count));
        if (!item || PyList_SetItem(list, i, item)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *finish(PyObject *self, PyObject *args) {
    PyObject *capsule;
    const char *tag;
    size_t tag_length;
    Scan *scan;
    ScanStatus status;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    if (!(scan = PyCapsule_GetPointer(capsule, SCAN))) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = scan_finish(scan);
    Py_END_ALLOW_THREADS
    if (status == SCAN_NO_MEMORY) return PyErr_NoMemory();
    if (status != SCAN_OK) return Py_BuildValue("(iO)", (int)status, Py_None);
    tag = scan_tag(scan, &tag_length);
    return Py_BuildValue("(i(s#LNN))", (int)status, tag ? tag : "", (Py_ssize_t)tag_length,
                         (long long)scan_contradictions(scan), topics_found(scan),
                         orders_found(scan, scan_order_count(scan)));
}

static PyObject *names_found(const Names *names) {
    PyObject *list = PyList_New((Py_ssize_t)names->count);
    for (size_t i = 0; list && i < names->count; i++) {
        Name name = names->names[i];
        PyObject *item = PyUnicode_FromStringAndSize(names->text.bytes + name.offset, (Py_ssize_t)name.length);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *small_numbers(const int32_t *values, size_t count) {
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof(int32_t)));
}

/* Where each topic's names start, the names as numbers, and for each judgment the place of its name. */
static PyObject *members_found(const Members *members, size_t topics, size_t judgments) {
    return Py_BuildValue("(NNN)", numbers(members->starts, topics + 1),
                         small_numbers(members->codes, (size_t)members->starts[topics]),
                         small_numbers(members->places, judgments));
}

static PyObject *groups_found(const Columns *columns, const Groups *groups) {
    size_t topics = columns->names[TOPIC].count;
    return Py_BuildValue("((NNN)NNNN)", names_found(columns->names + TOPIC), names_found(columns->names + ASPECT),
                         names_found(columns->names + DOCUMENT), numbers(groups->starts, topics + 1),
                         members_found(&groups->aspects, topics, columns->count),
                         members_found(&groups->documents, topics, columns->count),
                         PyBytes_FromStringAndSize((const char *)groups->grades,
                                                   (Py_ssize_t)(columns->count * sizeof(double))));
}

static PyObject *judgments(PyObject *self, PyObject *args) {
    uint64_t key[KEY_WORDS];
    const char *bytes, *data;
    Py_ssize_t key_length, length;
    PyObject *out = NULL;
    Columns columns;
    Groups groups = {0};
    ScanStatus status;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#", &bytes, &key_length, &data, &length)) return NULL;
    if (key_length != (Py_ssize_t)sizeof key)
        return PyErr_Format(PyExc_ValueError, "the key has %zu bytes", sizeof key);
    memcpy(key, bytes, sizeof key);
    Py_BEGIN_ALLOW_THREADS
    status = columns_read(&columns, key, data, data + length);
    if (status == SCAN_OK) status = groups_of(&groups, &columns);
    Py_END_ALLOW_THREADS
    if (status == SCAN_NO_MEMORY) out = PyErr_NoMemory();
    else if (status != SCAN_OK || !columns.count) out = Py_BuildValue("");
    else out = groups_found(&columns, &groups);
    groups_free(&groups);
    columns_free(&columns);
    return out;
}

static PyMethodDef methods[] = {
    {"judged_set", judged_set, METH_VARARGS, "What is judged, ready to be looked up."},
    {"open", open_scan, METH_VARARGS, "A new scan."},
    {"feed", feed, METH_VARARGS, "The next bytes of the file."},
    {"read", read_file, METH_VARARGS, "The whole file behind a descriptor."},
    {"finish", finish, METH_VARARGS, "The end of the file: what was found."},
    {"judgments", judgments, METH_VARARGS, "A whole file of judgments, grouped by topic."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_scanner", "Ranks of judged documents, straight from a run's bytes.", -1, methods,
    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scanner(void) {
    number_prepare();
    return PyModule_Create(&module);
}
