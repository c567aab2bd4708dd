#!/bin/sh
# Build the C reader's fuzzer under AddressSanitizer and UBSan into a folder: fuzz/build.sh FOLDER
#
# With clang: `target`, for libFuzzer, guided by coverage. Without, or with FUZZ_PLAIN=1: `driver`, which makes and
# damages files by itself. The scanner's blocks are tiny in both, so that every boundary is met all the time.
# FUZZ_LEVEL=-O0 is built in half the time, for short runs. What is there already, newer than all sources and built
# under the same settings, stays.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mkdir -p "$folder"

build() { # COMPILER OUTPUT FLAGS…
    compiler=$1 name=$2
    shift 2
    settings="$compiler ${FUZZ_LEVEL:--O1} ${SCAN_BLOCK:-} ${SCAN_ROOM:-} ${SCAN_UNLIKE:-}"
    if [ -x "$folder/$name" ] && [ "$(cat "$folder/settings" 2>/dev/null)" = "$settings" ] &&
        [ -z "$(find "$here/build.sh" "$here/c" "$here/../csrc" -type f -newer "$folder/$name")" ]; then
        return
    fi
    rm -f "$folder/target" "$folder/driver"
    "$compiler" -std=gnu11 -g "${FUZZ_LEVEL:--O1}" -fno-omit-frame-pointer -fno-sanitize-recover=all "$@" \
        -DSCAN_BLOCK="${SCAN_BLOCK:-160}" -DSCAN_CHUNK=300 -DSCAN_ROOM="${SCAN_ROOM:-512}" -DSCAN_FIRST_LENGTH=8 -DSCAN_ROWS=3 -DSCAN_UNLIKE="${SCAN_UNLIKE:-2}" \
        -Wall -Wextra -Werror -I"$here/../csrc" "$here/c/$name.c" "$here/c/laws.c" "$here/c/tables.c" \
        $(ls "$here"/../csrc/*.c | grep -v _scanner) -lm -o "$folder/$name"
    echo "$settings" > "$folder/settings"
}

if [ "${FUZZ_PLAIN:-}" != 1 ] && "$here/../scripts/install-clang" --check; then
    build clang target -fsanitize=fuzzer,address,undefined
else
    build "${CC:-cc}" driver -fsanitize=address,undefined
fi
