#!/bin/sh
# Build the C reader's fuzzers with AddressSanitizer and UBSan into a folder: fuzz/build.sh FOLDER
#
# `driver` generates and damages files at random. With clang there is also `target`, for libFuzzer with coverage guidance.
# The scanner's blocks are tiny in both, so that every boundary is reached often.
# FUZZ_LEVEL=-O0 builds in half the time, for short runs. Programs that are newer than all sources and have the same
# settings are not built again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mkdir -p "$folder"

if "$here/../scripts/install-clang" --check; then
    compiler=clang sanitizers=fuzzer-no-link,address,undefined
else
    compiler=${CC:-cc} sanitizers=address,undefined
fi
settings="$compiler ${FUZZ_LEVEL:--O1} ${SCAN_BLOCK:-} ${SCAN_ROOM:-} ${SCAN_UNLIKE:-}"
if [ -x "$folder/driver" ] && [ "$(cat "$folder/settings" 2>/dev/null)" = "$settings" ] &&
    [ -z "$(find "$here/build.sh" "$here/c" "$here/../csrc" -type f -newer "$folder/driver")" ]; then
    exit
fi

rm -rf "$folder/objects" "$folder/target" "$folder/driver"
mkdir "$folder/objects"
(
    cd "$folder/objects"
    # -g1: the sanitizers' reports need line numbers, but no types of variables.
    "$compiler" -c -std=gnu11 -g1 "${FUZZ_LEVEL:--O1}" -fno-omit-frame-pointer -fsanitize=$sanitizers -fno-sanitize-recover=all \
        -DSCAN_BLOCK="${SCAN_BLOCK:-160}" -DSCAN_CHUNK=300 -DSCAN_ROOM="${SCAN_ROOM:-512}" -DSCAN_FIRST_LENGTH=8 -DSCAN_ROWS=3 -DSCAN_UNLIKE="${SCAN_UNLIKE:-2}" \
        -Wall -Wextra -Werror -I"$here/../csrc" "$here"/c/*.c $(ls "$here"/../csrc/*.c | grep -v _scanner)
    mkdir programs
    mv driver.o target.o programs
)
if [ "$compiler" = clang ]; then
    clang -fsanitize=fuzzer,address,undefined "$folder"/objects/programs/target.o "$folder"/objects/*.o -lm -o "$folder/target"
fi
"$compiler" -fsanitize=address,undefined "$folder"/objects/programs/driver.o "$folder"/objects/*.o -lm -o "$folder/driver"
rm -r "$folder/objects"
echo "$settings" > "$folder/settings"
