/* Python functions on columns: files to columns, order of names, grouping of judgments, lookup of documents. */
#include "_scanner.h"

#include "printed.h"

#define TABLE "diveval.table"

Py_ssize_t items_of(PyObject *object, size_t width, const void **items) {
    char *bytes;
    Py_ssize_t length;
    if (PyTuple_Check(object)) { /* borrowed memory; the third item keeps it alive */
        PyObject *address, *owner;
        if (!PyArg_ParseTuple(object, "OnO", &address, &length, &owner)) return -1;
        bytes = PyLong_AsVoidPtr(address);
        if (PyErr_Occurred()) return -1;
    } else if (PyBytes_AsStringAndSize(object, &bytes, &length)) {
        return -1;
    }
    if (length < 0 || (length && !bytes)) {
        PyErr_SetString(PyExc_ValueError, "no memory there");
        return -1;
    }
    *items = bytes;
    return length / (Py_ssize_t)width;
}

int key_of(PyObject *object, uint64_t key[KEY_WORDS]) {
    const void *bytes;
    Py_ssize_t length = items_of(object, 1, &bytes);
    if (length < 0) return -1;
    if (length != (Py_ssize_t)(KEY_WORDS * sizeof *key)) {
        PyErr_Format(PyExc_ValueError, "the key has %zu bytes", KEY_WORDS * sizeof *key);
        return -1;
    }
    memcpy(key, bytes, KEY_WORDS * sizeof *key);
    return 0;
}

int strings_of(PyObject *pair, Strings *strings) {
    PyObject *text, *offsets;
    const void *bytes, *starts;
    Py_ssize_t size, count;
    if (!PyArg_ParseTuple(pair, "OO", &text, &offsets)) return -1;
    size = items_of(text, 1, &bytes);
    count = items_of(offsets, sizeof(int64_t), &starts);
    if (size < 0 || count < 0) return -1;
    strings->bytes = bytes;
    strings->offsets = starts;
    strings->count = count > 0 ? (size_t)count - 1 : 0;
    for (size_t i = 0; i < strings->count; i++)
        if (strings->offsets[i] < 0 || strings->offsets[i + 1] < strings->offsets[i]) count = 0;
    if (count < 1 || strings->offsets[strings->count] > size || strings->count >= INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "offsets that do not fit the text");
        return -1;
    }
    return 0;
}

Py_ssize_t codes_of(PyObject *object, int32_t least, size_t most, const int32_t **codes) {
    const void *items = NULL;
    Py_ssize_t count = items_of(object, sizeof(int32_t), &items);
    *codes = items;
    for (Py_ssize_t i = 0; i < count; i++)
        if ((*codes)[i] < least || ((*codes)[i] >= 0 && (size_t)(*codes)[i] >= most)) {
            PyErr_SetString(PyExc_ValueError, "a code without a name");
            return -1;
        }
    return count;
}

PyObject *bytes_of(const void *values, size_t count, size_t width) {
    return PyBytes_FromStringAndSize(values, (Py_ssize_t)(count * width));
}

PyObject *numbers(const int64_t *values, size_t count) { return bytes_of(values, count, sizeof(int64_t)); }

PyObject *small_numbers(const int32_t *values, size_t count) { return bytes_of(values, count, sizeof(int32_t)); }

PyObject *strings_found(Strings strings) {
    return Py_BuildValue("(NN)", bytes_of(strings.bytes, (size_t)strings.offsets[strings.count], 1),
                         numbers(strings.offsets, strings.count + 1));
}

PyObject *status_of(ScanStatus status) {
    return status == SCAN_NO_MEMORY ? PyErr_NoMemory() : PyLong_FromLong(status);
}

static void free_table(PyObject *capsule) { columns_free(PyCapsule_GetPointer(capsule, TABLE)); }

PyObject *new_table(PyObject *self, PyObject *args) {
    uint64_t key[KEY_WORDS];
    PyObject *secret, *capsule;
    int runs;
    Columns *columns;
    (void)self;
    if (!PyArg_ParseTuple(args, "Op", &secret, &runs) || key_of(secret, key)) return NULL;
    columns = columns_new(key, runs ? RUN_LINES : JUDGMENT_LINES);
    if (!columns) return PyErr_NoMemory();
    capsule = PyCapsule_New(columns, TABLE, free_table);
    if (!capsule) columns_free(columns);
    return capsule;
}

PyObject *table_feed(PyObject *self, PyObject *args) {
    PyObject *capsule, *data;
    const void *bytes;
    Py_ssize_t length;
    Columns *columns;
    ScanStatus status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &data)) return NULL;
    if (!(columns = PyCapsule_GetPointer(capsule, TABLE)) || (length = items_of(data, 1, &bytes)) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = columns_feed(columns, bytes, (const char *)bytes + length);
    Py_END_ALLOW_THREADS
    return status_of(status);
}

/* Convert an array to bytes and free it at once, so that millions of lines are not in memory twice. */
static PyObject *handed_over(void *values, size_t count, size_t width) {
    void **array = values;
    PyObject *out = bytes_of(*array, *array ? count : 0, width);
    free(*array);
    *array = NULL;
    return out;
}

PyObject *names_handed_over(Names *names) {
    size_t size = names->size, count = names->count + 1;
    free(names->slots);
    names->slots = NULL;
    names->count = names->size = 0;
    return Py_BuildValue("(NN)", handed_over(&names->bytes, size, 1), handed_over(&names->offsets, count, sizeof(int64_t)));
}

/* Names and codes of each kind, then grades or scores, then the ranks and the tag of a run. The table is empty afterwards. */
PyObject *table_finish(PyObject *self, PyObject *args) {
    PyObject *capsule, *kinds[KINDS];
    Columns *columns;
    (void)self;
    if (!PyArg_ParseTuple(args, "O", &capsule) || !(columns = PyCapsule_GetPointer(capsule, TABLE))) return NULL;
    for (int i = 0; i < KINDS; i++)
        kinds[i] = Py_BuildValue("(NN)", names_handed_over(columns->names + i),
                                 handed_over(columns->codes + i, columns->count, sizeof(int32_t)));
    return Py_BuildValue("(NNNNNs#)", kinds[TOPIC], kinds[ASPECT], kinds[DOCUMENT],
                         handed_over(&columns->values, columns->count, sizeof(double)),
                         handed_over(&columns->ranks, columns->count, sizeof(int64_t)),
                         columns->tag ? columns->tag : "", (Py_ssize_t)columns->tag_length);
}

/* The position of each name in ascending or natural order. */
PyObject *standing(PyObject *self, PyObject *args) {
    PyObject *pair, *out;
    Strings names;
    int natural;
    int32_t *places;
    (void)self;
    if (!PyArg_ParseTuple(args, "Op", &pair, &natural) || strings_of(pair, &names)) return NULL;
    places = malloc((names.count + 1) * sizeof(int32_t));
    if (!places || names_standing(&names, natural, places)) out = PyErr_NoMemory();
    else out = small_numbers(places, names.count);
    free(places);
    return out;
}

/* One byte for each code: whether it occurs earlier in the same group. `starts` are the offsets of the groups. */
PyObject *repeated(PyObject *self, PyObject *args) {
    PyObject *start_bytes, *code_bytes, *out = NULL;
    const void *start_items = NULL;
    const int64_t *starts;
    const int32_t *codes;
    Py_ssize_t groups, count, most;
    int32_t *seen;
    char *marks;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOn", &start_bytes, &code_bytes, &most)) return NULL;
    groups = items_of(start_bytes, sizeof(int64_t), &start_items);
    count = codes_of(code_bytes, 0, (size_t)most, &codes);
    if (groups < 0 || count < 0) return NULL;
    starts = start_items;
    for (Py_ssize_t g = 0; g < groups; g++)
        if (starts[g] < 0 || starts[g] > count) return PyErr_Format(PyExc_ValueError, "starts beyond the codes");
    seen = malloc(((size_t)most + 1) * sizeof(int32_t));
    marks = calloc((size_t)count + 1, 1);
    if (seen && marks) {
        for (Py_ssize_t i = 0; i < most; i++) seen[i] = -1;
        for (Py_ssize_t g = 0; g + 1 < groups; g++)
            for (int64_t i = starts[g]; i < starts[g + 1]; i++) {
                marks[i] = seen[codes[i]] == (int32_t)g;
                seen[codes[i]] = (int32_t)g;
            }
        out = bytes_of(marks, (size_t)count, 1);
    } else {
        PyErr_NoMemory();
    }
    free(seen);
    free(marks);
    return out;
}

static PyObject *groups_found(Groups *groups, const Rows *rows) {
    size_t topics = rows->names[TOPIC].count, count = rows->count;
    Members *aspects = &groups->aspects, *documents = &groups->documents;
    size_t aspect_count = (size_t)aspects->starts[topics], document_count = (size_t)documents->starts[topics];
    return Py_BuildValue("(NNNNN(NN)(NN))", handed_over(&groups->topics, topics, sizeof(int32_t)),
                         handed_over(&groups->starts, topics + 1, sizeof(int64_t)),
                         handed_over(&groups->rows, count, sizeof(int32_t)),
                         handed_over(&groups->columns, count, sizeof(int32_t)),
                         handed_over(&groups->grades, count, sizeof(double)),
                         handed_over(&aspects->starts, topics + 1, sizeof(int64_t)),
                         handed_over(&aspects->codes, aspect_count, sizeof(int32_t)),
                         handed_over(&documents->starts, topics + 1, sizeof(int64_t)),
                         handed_over(&documents->codes, document_count, sizeof(int32_t)));
}

PyObject *group(PyObject *self, PyObject *args) {
    PyObject *names[KINDS], *codes[KINDS], *grades, *out = NULL;
    const void *values = NULL;
    Rows rows;
    Groups groups = {0};
    ScanStatus status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOO", names, names + 1, names + 2, codes, codes + 1, codes + 2, &grades)) return NULL;
    rows.count = (size_t)items_of(grades, sizeof(double), &values);
    if (PyErr_Occurred()) return NULL;
    rows.grades = values;
    for (int i = 0; i < KINDS; i++) {
        if (strings_of(names[i], rows.names + i)) return NULL;
        if (codes_of(codes[i], 0, rows.names[i].count, rows.codes + i) != (Py_ssize_t)rows.count) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "columns of different lengths");
            return NULL;
        }
    }
    Py_BEGIN_ALLOW_THREADS
    status = groups_of(&groups, &rows);
    Py_END_ALLOW_THREADS
    if (status == SCAN_OK) out = groups_found(&groups, &rows);
    else PyErr_NoMemory();
    groups_free(&groups);
    return out;
}

/* The index of each name among the judged topics, -1 if it is not one. */
PyObject *match_topics(PyObject *self, PyObject *args) {
    PyObject *capsule, *pair, *out;
    Strings names;
    const Judged *judged;
    int32_t *places;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &pair)) return NULL;
    if (!(judged = PyCapsule_GetPointer(capsule, JUDGED)) || strings_of(pair, &names)) return NULL;
    if (!(places = malloc((names.count + 1) * sizeof(int32_t)))) return PyErr_NoMemory();
    for (size_t i = 0; i < names.count; i++) {
        const char *name = string_at(&names, i);
        size_t length = string_length(&names, i);
        places[i] = names_find(&judged->names, hash_bytes(judged->key, name, length), name, length);
    }
    out = small_numbers(places, names.count);
    free(places);
    return out;
}

/* The rows as 32-bit numbers, -1 where a document is not judged for its topic or the topic is -1. */
PyObject *match(PyObject *self, PyObject *args) {
    PyObject *capsule, *topic_bytes, *code_bytes, *pair, *out;
    const int32_t *topics, *codes;
    Py_ssize_t count;
    Strings documents;
    const Judged *judged;
    uint64_t *hashes;
    int32_t *rows;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &capsule, &topic_bytes, &code_bytes, &pair)) return NULL;
    if (!(judged = PyCapsule_GetPointer(capsule, JUDGED)) || strings_of(pair, &documents)) return NULL;
    if ((count = codes_of(topic_bytes, -1, judged->names.count, &topics)) < 0) return NULL;
    if (codes_of(code_bytes, 0, documents.count, &codes) != count) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        return NULL;
    }
    hashes = malloc((documents.count + 1) * sizeof(uint64_t));
    rows = malloc(((size_t)count + 1) * sizeof(int32_t));
    if (hashes && rows) {
        Py_BEGIN_ALLOW_THREADS
        for (size_t i = 0; i < documents.count; i++)
            hashes[i] = hash_bytes(judged->key, string_at(&documents, i), string_length(&documents, i));
        for (Py_ssize_t i = 0; i < count; i++) {
            size_t code = (size_t)codes[i];
            rows[i] = topics[i] < 0 ? -1
                                    : judged_row(judged, judged->topics + topics[i], hashes[code],
                                                 string_at(&documents, code), string_length(&documents, code));
        }
        Py_END_ALLOW_THREADS
        out = small_numbers(rows, (size_t)count);
    } else {
        out = PyErr_NoMemory();
    }
    free(hashes);
    free(rows);
    return out;
}


static size_t print_any(double value, char *out) {
    size_t length = print_double(value, out);
    char *text = NULL;
    if (length) return length;
    if (!(text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL))) return 0;
    length = strlen(text);
    memcpy(out, text, length); /* the longest is -1.2345678901234567e-308 */
    PyMem_Free(text);
    return length;
}

/* `start name separator value newline` for every name that counts, as text. */
PyObject *score_lines(PyObject *self, PyObject *args) {
    PyObject *pair, *mask, *numbers, *out = NULL;
    const char *start, *separator;
    const void *marks, *values;
    Py_ssize_t start_length, separator_length, count, value_count;
    Strings names;
    char *text, *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#Oy#OO", &start, &start_length, &pair, &separator, &separator_length, &mask, &numbers))
        return NULL;
    if (strings_of(pair, &names) || (count = items_of(mask, 1, &marks)) < 0) return NULL;
    if ((value_count = items_of(numbers, sizeof(double), &values)) < 0) return NULL;
    if ((size_t)count != names.count || value_count != count)
        return PyErr_Format(PyExc_ValueError, "columns of different lengths");
    text = p = malloc((size_t)(names.offsets[count] - names.offsets[0]) + 1 +
                      (size_t)count * (size_t)(start_length + separator_length + LONGEST_PRINTED + 1));
    if (!text) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        size_t length = string_length(&names, (size_t)i);
        if (!((const char *)marks)[i]) continue;
        memcpy(p, start, (size_t)start_length);
        p += start_length;
        memcpy(p, string_at(&names, (size_t)i), length);
        p += length;
        memcpy(p, separator, (size_t)separator_length);
        p += separator_length;
        length = print_any(((const double *)values)[i], p);
        if (!length) break;
        p += length;
        *p++ = '\n';
    }
    if (!PyErr_Occurred()) out = PyUnicode_DecodeUTF8(text, p - text, "surrogatepass");
    free(text);
    return out;
}
