/* The guest's disk, preloaded into user-mode Linux: a disk with a cache that a power cut empties.
 *
 * What the guest writes to the image stays in memory until the guest asks for a flush. Killing user-mode Linux forgets the
 * memory, as a power cut forgets the cache of a real disk. The settings are in the environment:
 *
 *   POWER_IMAGE          the image; without it nothing is cached
 *   POWER_EARLY_PERCENT  how many of the unflushed pieces reach the image before they are asked for, in any order
 *   POWER_PIECE_BYTES    how large such a piece is: 4096 for whole blocks, 512 for torn blocks
 *   POWER_FLUSH_US_MAX   how long a flush takes at most, beside its writes
 *   POWER_DISK_SEED      for all chances taken here
 *
 * Nothing here allocates memory or uses the C library more than needed: the thread that does the disk's work shares the
 * thread-local storage of the main thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    SECTOR_BYTES = 512,
    BLOCK_BYTES = 4096,
    /* No disk that people own tears the first block of a file system, and ext4 does not survive it. */
    NEVER_TORN_BYTES = 4096,
    EXIT_ODD_REQUEST = 99,
};

static bool is_caching;
static dev_t image_device;
static ino_t image_inode;
static uint64_t image_sectors;
static long main_process;

/* One byte of `dirty` for each sector: whether `cache` has a newer content than the image. */
static uint8_t *cache;
static uint8_t *dirty;
/* Every dirty sector is in [dirty_from, dirty_to). */
static uint64_t dirty_from;
static uint64_t dirty_to;

static unsigned early_percent;
static unsigned piece_bytes;
static unsigned flush_us_max;
static uint64_t chance_state = 88172645463325252ULL;

/* The next number of a xorshift generator. */
static uint64_t chance(void) {
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return chance_state;
}

static void seed_chance(unsigned seed) {
    chance_state ^= seed * 0x9E3779B97F4A7C15ULL;
    if (chance_state == 0) chance_state = 1;
    for (int i = 0; i < 20; i++) chance();
}

static unsigned setting(const char *name, unsigned otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoul(text, NULL, 10);
}

/* Memory that the disk's thread, a process of its own, shares with the main one. */
static void *shared_memory(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("POWER_IMAGE");
    struct stat image;
    if (path == NULL || stat(path, &image) != 0) return;
    image_device = image.st_dev;
    image_inode = image.st_ino;
    image_sectors = image.st_size / SECTOR_BYTES;
    dirty_from = image_sectors;
    early_percent = setting("POWER_EARLY_PERCENT", 0);
    piece_bytes = setting("POWER_PIECE_BYTES", BLOCK_BYTES);
    flush_us_max = setting("POWER_FLUSH_US_MAX", 0);
    seed_chance(setting("POWER_DISK_SEED", 1));
    main_process = syscall(SYS_getpid);
    cache = shared_memory(image.st_size);
    dirty = shared_memory(image_sectors);
    /* Without a cache the guest would run on a disk that forgets nothing, and prove nothing. */
    if (cache == MAP_FAILED || dirty == MAP_FAILED) _exit(EXIT_ODD_REQUEST);
    is_caching = true;
}

static bool is_image(int fd) {
    struct stat found;
    return is_caching && syscall(SYS_newfstatat, fd, "", &found, AT_EMPTY_PATH) == 0 && found.st_ino == image_inode &&
           found.st_dev == image_device;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The length of the piece that begins at `offset`: pieces end at multiples of their size. */
static size_t piece_at(uint64_t offset) {
    return offset < NEVER_TORN_BYTES ? NEVER_TORN_BYTES - offset : piece_bytes - offset % piece_bytes;
}

static void keep_in_cache(const char *from, size_t bytes, uint64_t offset) {
    uint64_t sector = offset / SECTOR_BYTES;
    uint64_t end = sector + bytes / SECTOR_BYTES;
    memcpy(cache + offset, from, bytes);
    memset(dirty + sector, 1, end - sector);
    if (sector < dirty_from) dirty_from = sector;
    if (end > dirty_to) dirty_to = end;
}

static bool write_early(int fd, const char *from, size_t bytes, uint64_t offset) {
    if (syscall(SYS_pwrite64, fd, from, bytes, offset) != (ssize_t)bytes) return false;
    memset(dirty + offset / SECTOR_BYTES, 0, bytes / SECTOR_BYTES);
    return true;
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset) {
    if (!is_image(fd)) return syscall(SYS_pwrite64, fd, buffer, bytes, offset);
    bool is_whole = offset % SECTOR_BYTES == 0 && bytes % SECTOR_BYTES == 0;
    if (!is_whole || (offset + bytes) / SECTOR_BYTES > image_sectors) _exit(EXIT_ODD_REQUEST);
    for (size_t done = 0; done < bytes;) {
        const char *from = (const char *)buffer + done;
        size_t length = smaller(piece_at(offset + done), bytes - done);
        if (chance() % 100 >= early_percent) {
            keep_in_cache(from, length, offset + done);
        } else if (!write_early(fd, from, length, offset + done)) {
            return -1;
        }
        done += length;
    }
    return bytes;
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset) {
    ssize_t got = syscall(SYS_pread64, fd, buffer, bytes, offset);
    if (got <= 0 || !is_image(fd)) return got;
    for (ssize_t at = 0; at + SECTOR_BYTES <= got; at += SECTOR_BYTES) {
        if (dirty[(offset + at) / SECTOR_BYTES]) memcpy((char *)buffer + at, cache + offset + at, SECTOR_BYTES);
    }
    return got;
}

static void take_some_time(void) {
    if (flush_us_max == 0) return;
    struct timespec pause = {0, (long)(chance() % (flush_us_max * 1000UL))};
    syscall(SYS_nanosleep, &pause, NULL);
}

/* Writes the cache to the image; -1 if that failed. The host's page cache is our platter: the host itself stays up. */
static int flush(int fd) {
    take_some_time();
    for (uint64_t sector = dirty_from; sector < dirty_to;) {
        uint8_t *found = memchr(dirty + sector, 1, dirty_to - sector);
        if (found == NULL) break;
        uint64_t from = found - dirty, to = from;
        while (to < dirty_to && dirty[to]) to++;
        size_t bytes = (to - from) * SECTOR_BYTES;
        if (!write_early(fd, (char *)cache + from * SECTOR_BYTES, bytes, from * SECTOR_BYTES)) return -1;
        sector = to;
    }
    dirty_from = image_sectors;
    dirty_to = 0;
    return 0;
}

int fsync(int fd) { return is_image(fd) ? flush(fd) : syscall(SYS_fsync, fd); }

int fdatasync(int fd) { return is_image(fd) ? flush(fd) : syscall(SYS_fdatasync, fd); }

/* Discards, which would bypass the cache, are refused. */
int fallocate64(int fd, int mode, off64_t offset, off64_t bytes) {
    if (is_image(fd)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return syscall(SYS_fallocate, fd, mode, offset, bytes);
}

/* How the kernel's disk driver asks its thread for something (arch/um/drivers/ubd_kern.c, Linux 6.1). */
struct disk_request {
    void *request;
    int fds[2];
    unsigned long offsets[2];
    unsigned long long offset;
    int sector_bytes;
    int error;
    int part_count;
};

/* Where the kernel of the guest keeps such requests; anything else that is read is no pointer to one. */
static const uintptr_t REQUESTS_FROM = 0x60000000UL;
static const uintptr_t REQUESTS_TO = 0x400000000UL;

static void flush_if_asked(uintptr_t pointer) {
    if (pointer < REQUESTS_FROM || pointer > REQUESTS_TO || pointer % sizeof pointer != 0) return;
    struct disk_request *asked = (struct disk_request *)pointer;
    bool is_flush = asked->sector_bytes == SECTOR_BYTES && asked->part_count == 0 && is_image(asked->fds[0]);
    if (is_flush && flush(asked->fds[0]) != 0) asked->error = EIO;
}

/* The disk's thread reads pointers to requests from a pipe. Linux 6.1 forgets to carry out a flush, which is a request
 * without parts, so the flush is done here. Whatever the flush covers was answered before the flush was sent. */
ssize_t read(int fd, void *buffer, size_t bytes) {
    ssize_t got = syscall(SYS_read, fd, buffer, bytes);
    bool has_pointers = got > 0 && got % sizeof(uintptr_t) == 0 && bytes >= 8 * sizeof(uintptr_t);
    if (!is_caching || !has_pointers || syscall(SYS_getpid) == main_process) return got;
    for (size_t i = 0; i < got / sizeof(uintptr_t); i++) flush_if_asked(((uintptr_t *)buffer)[i]);
    return got;
}

enum {
    STATE_OF_ALL_REGISTERS = 0x202, /* NT_X86_XSTATE */
    STATE_BYTES_MAX = 16384,
    STATE_PARTS_AT = 512,
};
/* The two parts of the state that belong to AMX. */
static const uint64_t AMX_PARTS = 1UL << 17 | 1UL << 18;

/* Sets the registers of a process. On processors with AMX the host wants a larger state than Linux 6.1 passes, and the
 * guest would panic: the rest is filled from the present state of the process. */
static long set_all_registers(pid_t process, const struct iovec *given) {
    /* Not on the stack, which is only 16 KiB in the guest's kernel. */
    static char state[STATE_BYTES_MAX] __attribute__((aligned(64)));
    struct iovec whole = {state, sizeof state};
    void *kind = (void *)(uintptr_t)STATE_OF_ALL_REGISTERS;
    if (syscall(SYS_ptrace, PTRACE_GETREGSET, process, kind, &whole) != 0 || whole.iov_len <= given->iov_len) {
        return syscall(SYS_ptrace, PTRACE_SETREGSET, process, kind, given);
    }
    memcpy(state, given->iov_base, given->iov_len);
    *(uint64_t *)(state + STATE_PARTS_AT) &= ~AMX_PARTS;
    return syscall(SYS_ptrace, PTRACE_SETREGSET, process, kind, &whole);
}

long ptrace(enum __ptrace_request request, ...) {
    va_list rest;
    va_start(rest, request);
    pid_t process = va_arg(rest, pid_t);
    void *address = va_arg(rest, void *);
    void *data = va_arg(rest, void *);
    va_end(rest);
    if (request == PTRACE_SETREGSET && (uintptr_t)address == STATE_OF_ALL_REGISTERS) {
        return set_all_registers(process, data);
    }
    if (request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER) {
        long word = 0;
        long result = syscall(SYS_ptrace, request, process, address, &word);
        return result < 0 ? result : word;
    }
    return syscall(SYS_ptrace, request, process, address, data);
}
