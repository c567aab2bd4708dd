/* Shared by the files that implement the Python module: conversion of arguments and results. */
#ifndef DIVEVAL_SCANNER_H
#define DIVEVAL_SCANNER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"
#include "core.h"
#include "judged.h"

#define JUDGED "diveval.judged"

/* The number of items of `width` bytes in bytes or in (address, size, owner); -1 with an error set. */
Py_ssize_t items_of(PyObject *object, size_t width, const void **items);
int key_of(PyObject *object, uint64_t key[KEY_WORDS]);
/* (bytes, offsets) as names; -1 with an error set if the two do not match. */
int strings_of(PyObject *pair, Strings *strings);
/* Codes from `least` (-1 or 0) to below `most`; their number, or -1 with an error set. */
Py_ssize_t codes_of(PyObject *object, int32_t least, size_t most, const int32_t **codes);
PyObject *bytes_of(const void *values, size_t count, size_t width);
PyObject *numbers(const int64_t *values, size_t count);
PyObject *small_numbers(const int32_t *values, size_t count);
PyObject *strings_found(Strings strings);
PyObject *status_of(ScanStatus status);
/* Converts names to bytes and frees them. */
PyObject *names_handed_over(Names *names);
/* A new scan, or NULL with an error set; and its status with the result. */
Scan *scan_for(PyObject *judged, PyObject *orders, int collect);
PyObject *scan_found(const Scan *scan);

/* Columns: the methods of _scanner_columns.c. */
PyObject *new_table(PyObject *self, PyObject *args);
PyObject *table_feed(PyObject *self, PyObject *args);
PyObject *table_finish(PyObject *self, PyObject *args);
PyObject *standing(PyObject *self, PyObject *args);
PyObject *repeated(PyObject *self, PyObject *args);
PyObject *group(PyObject *self, PyObject *args);
PyObject *match_topics(PyObject *self, PyObject *args);
PyObject *match(PyObject *self, PyObject *args);
PyObject *score_lines(PyObject *self, PyObject *args);

/* Tables: the methods of _scanner_arrow.c. */
PyObject *intern(PyObject *self, PyObject *args);
PyObject *has_empty(PyObject *self, PyObject *columns);
PyObject *rows(PyObject *self, PyObject *args);

#endif
