#include "names.h"

enum { FIRST_SLOTS = 64, MANY_SLOTS = 1 << 18 };

static Slot *new_slots(size_t count) {
    Slot *slots = malloc(count * sizeof(Slot));
    for (size_t i = 0; slots && i < count; i++) slots[i].code = -1;
    return slots;
}

static void place(Slot *slots, size_t mask, Slot slot) {
    size_t at = slot.tag & mask;
    while (slots[at].code >= 0) at = (at + 1) & mask;
    slots[at] = slot;
}

int names_init(Names *names) {
    memset(names, 0, sizeof *names);
    names->slots = new_slots(FIRST_SLOTS);
    names->mask = FIRST_SLOTS - 1;
    if (!names->slots || reserve((void **)&names->bytes, &names->byte_room, 0, 1, 1) ||
        reserve((void **)&names->offsets, &names->offset_room, 0, 1, sizeof(int64_t)))
        return 1;
    names->offsets[0] = 0;
    return 0;
}

void names_free(Names *names) {
    free(names->bytes);
    free(names->offsets);
    free(names->slots);
}

/* Grow the table, fourfold while it is small, because each growth inserts every name again. A slot keeps 32 bits of the
 * hash, which suffice to find its place again up to 2^32 slots. */
static int grow(Names *names) {
    size_t mask = names->mask < MANY_SLOTS ? 4 * names->mask + 3 : 2 * names->mask + 1;
    Slot *slots = mask > UINT32_MAX ? NULL : new_slots(mask + 1);
    if (!slots) return 1;
    for (size_t i = 0; i <= names->mask; i++)
        if (names->slots[i].code >= 0) place(slots, mask, names->slots[i]);
    free(names->slots);
    names->slots = slots;
    names->mask = mask;
    return 0;
}

int32_t names_add(Names *names, uint64_t hash, const char *p, size_t length) {
    Slot slot = {(uint32_t)hash, (int32_t)names->count};
    if (names->count >= INT32_MAX || (2 * (names->count + 1) > names->mask && grow(names))) return -1;
    if (reserve((void **)&names->bytes, &names->byte_room, names->size, length, 1) ||
        reserve((void **)&names->offsets, &names->offset_room, names->count + 1, 1, sizeof(int64_t)))
        return -1;
    if (length) memcpy(names->bytes + names->size, p, length);
    names->size += length;
    names->offsets[++names->count] = (int64_t)names->size;
    place(names->slots, names->mask, slot);
    return slot.code;
}
