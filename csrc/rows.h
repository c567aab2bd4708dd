/* Runs from rows of a table instead of lines of a file. */
#ifndef DIVEVAL_ROWS_H
#define DIVEVAL_ROWS_H

#include "scan.h"
#include "texts.h"

/* All rows of a run, once; the source must outlive the scan. Text without bytes and scores that are not finite are
 * SCAN_UNUSUAL. */
ScanStatus scan_rows(Scan *scan, const RowSource *source);

#endif
