#!/bin/sh
# Build the fuzzing driver under AddressSanitizer and UBSan: fuzz/build.sh OUTPUT
set -eu
here=$(dirname "$0")
exec "${CC:-cc}" -std=gnu11 -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
    -DSCAN_BLOCK="${SCAN_BLOCK:-160}" -DSCAN_CHUNK=300 -DSCAN_ROOM="${SCAN_ROOM:-512}" -DSCAN_FIRST_LENGTH=8 \
    -Wall -Wextra -Werror -I"$here/../csrc" "$here/fuzz_scanner.c" \
    $(ls "$here"/../csrc/*.c | grep -v _scanner) -lm -o "$1"
