/* Runs from rows of a table instead of lines of a file. */
#ifndef DIVEVAL_ROWS_H
#define DIVEVAL_ROWS_H

#include "scan.h"
#include "texts.h"

/* Scan all rows of a run; called once. The source must outlive the scan. Empty text and scores that are not finite give
 * SCAN_UNUSUAL. */
ScanStatus scan_rows(Scan *scan, const RowSource *source);

#endif
