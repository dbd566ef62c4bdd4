/* Hands one command to the resident process of its hive, if there is one, and prints the answer.
 *
 *   rsm-client LAUNCHER JAR VERB WORD...
 *
 * Nothing is decided here. Where no resident answers, or where the resident declines before it has done anything, the
 * launcher is started again in the place of this program, and runs the command in a process of its own. A command that
 * the resident was told to begin is never begun a second time.
 *
 * The frames are described in the class Frames of the package dev.pheromone.cli.resident. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

/* How long a resident may take to say that it is there: one that is stopped never does. */
static const int HELLO_MS_MAX = 250;

/* How long a resident that is there may take to say whether it will answer. With many clients at once that takes a
 * while, and as many processes of their own would take longer. */
static const int JUDGE_MS_MAX = 5000;

/* A larger request goes the other way. */
static const size_t REQUEST_BYTES_MAX = 1 << 20;

#define FRAME_BYTES_MAX (1 << 20)
#define INPUT_BYTES (64 * 1024)

static char *launcher, *verb, **words;

/* How long a write may wait for its reader; -1 is for ever. */
static int patience_ms = -1;

/* How to end if nobody knows an answer. A hook that guards says no; one that only tells of mail, as the launcher says,
 * says nothing. */
static int exit_of_failure(void) {
    if (strcmp(verb, "hook") != 0) return 1;
    return getenv("RSM_BELL") ? 0 : 2;
}

/* Runs the command in a process of its own. */
static void go_cold(void) {
    setenv("RSM_COLD", "1", 1);
    signal(SIGPIPE, SIG_DFL);
    words[-1] = launcher;
    execv(launcher, words - 1);
    fprintf(stderr, "rsm: error: %s: %s\n", launcher, strerror(errno));
    exit(exit_of_failure());
}

/* Of a command that stays: how many pieces of standard input were sent, and whether all of them were answered. */
static uint32_t pieces;
static int at_rest;

/* The resident ended after it was told to begin: nobody knows how far it came. A command that stays, and that has nothing
 * under way, goes on in a process of its own: what comes next has not been read yet. */
static void give_up(void) {
    if (at_rest) go_cold();
    fprintf(stderr, "rsm: error: the resident process ended while it worked on this command; what it did is not known\n"
                    "rsm: hint: look at what was done before you repeat it: rsm log --tail 5\n");
    exit(exit_of_failure());
}

/* What the command ended with. To an agent only exit 2 of a hook is a no: what else fails must not be a yes.
 * A bell never is a no. */
static int ended(int exit_code) {
    if (strcmp(verb, "hook") != 0 || exit_code == 0 || exit_code == 2) return exit_code;
    if (exit_of_failure() == 0) return 0;
    fprintf(stderr, "rsm: error: the hook ended with exit %d, expected 0 or 2: blocked\n", exit_code);
    return 2;
}

struct bytes {
    char *at;
    size_t length, room;
};

static void add(struct bytes *to, const void *from, size_t length) {
    if (to->length + length > REQUEST_BYTES_MAX) go_cold();
    if (to->length + length > to->room) {
        to->room = (to->length + length) * 2;
        to->at = realloc(to->at, to->room);
        if (!to->at) go_cold();
    }
    memcpy(to->at + to->length, from, length);
    to->length += length;
}

static void add_number(struct bytes *to, uint64_t value, int width) {
    unsigned char raw[8];
    for (int i = 0; i < width; i++) raw[i] = (unsigned char)(value >> (8 * (width - 1 - i)));
    add(to, raw, (size_t)width);
}

/* Whether `text` is UTF-8, as the resident reads it; what is not goes the other way. */
static int is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        int more = *at < 0x80 ? 0 : *at >= 0xC2 && *at < 0xE0 ? 1 : (*at & 0xF0) == 0xE0 ? 2 : *at >= 0xF0 && *at < 0xF5 ? 3 : -1;
        if (more < 0) return 0;
        if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F) || (*at == 0xF0 && at[1] < 0x90) ||
            (*at == 0xF4 && at[1] > 0x8F))
            return 0;
        at++;
        for (; more > 0; more--, at++)
            if ((*at & 0xC0) != 0x80) return 0;
    }
    return 1;
}

static void add_text(struct bytes *to, const char *text) {
    size_t length = strlen(text);
    if (!is_utf8(text)) go_cold();
    add_number(to, length, 4);
    add(to, text, length);
}

/* FNV-1a, as the class ResidentAddress has it: a short name for a hive and a build of the program. */
static uint64_t hash(uint64_t begin, const char *text) {
    for (; *text; text++) begin = (begin ^ (unsigned char)*text) * 1099511628211ULL;
    return begin;
}

/* The hive's folder in `folder`, or in the main work tree if `folder` is a linked one. */
static int hive_in(const char *folder, struct stat *found) {
    char path[PATH_MAX], line[PATH_MAX];
    struct stat git;
    snprintf(path, sizeof path, "%s/.git", folder);
    if (lstat(path, &git) == 0 && S_ISREG(git.st_mode)) {
        FILE *file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file) && strncmp(line, "gitdir: ", 8) == 0) {
            char *tail = strstr(line, "/.git/worktrees/");
            if (tail) {
                *tail = 0;
                snprintf(path, sizeof path, "%s/.deia", line + 8);
                fclose(file);
                return line[8] == '/' && stat(path, found) == 0;
            }
        }
        if (file) fclose(file);
    }
    snprintf(path, sizeof path, "%s/.deia", folder);
    return stat(path, found) == 0 && S_ISDIR(found->st_mode);
}

/* The hive that the words or the folder mean. Only a guess: the resident looks for itself, and declines if it is not
 * the one of that hive. */
static void find_hive(const char *cwd, struct stat *found) {
    const char *named = getenv("RSM_ROOT");
    char folder[PATH_MAX];
    for (char **word = words; *word; word++) {
        if (strcmp(*word, "--") == 0) break;
        if (strcmp(*word, "--root") == 0 && word[1]) named = word[1];
        if (strncmp(*word, "--root=", 7) == 0) named = *word + 7;
    }
    if (named && *named) {
        if (!hive_in(named, found)) go_cold();
        return;
    }
    snprintf(folder, sizeof folder, "%s", cwd);
    while (1) {
        if (hive_in(folder, found)) return;
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder) go_cold();
        *slash = 0;
    }
}

/* Whether the process sees the same files as this one: in a sandbox, a command must not reach through the resident what
 * it can't reach itself. A system without this kind of names tells nothing. */
static int sees_the_same(pid_t other) {
    char path[64], own[64], theirs[64];
    ssize_t length = readlink("/proc/self/ns/mnt", own, sizeof own);
    if (length < 0) return 1;
    snprintf(path, sizeof path, "/proc/%ld/ns/mnt", (long)other);
    return readlink(path, theirs, sizeof theirs) == length && memcmp(own, theirs, (size_t)length) == 0;
}

/* A connection to the socket `name` in a folder that is ours alone, or -1. */
static int connected(const char *base, const char *below, const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char folder[PATH_MAX];
    struct stat it;
    if (!base || *base != '/') return -1;
    snprintf(folder, sizeof folder, "%s/%s", base, below);
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, name) >= (int)sizeof address.sun_path) return -1;
    if (lstat(folder, &it) != 0 || !S_ISDIR(it.st_mode) || it.st_uid != geteuid() || (it.st_mode & 077)) return -1;
    int to = socket(AF_UNIX, SOCK_STREAM, 0);
    if (to < 0) return -1;
    fcntl(to, F_SETFD, FD_CLOEXEC);
    fcntl(to, F_SETFL, O_NONBLOCK);
    if (connect(to, (struct sockaddr *)&address, sizeof address) != 0) {
        close(to);
        return -1;
    }
    uid_t other = (uid_t)-1;
#ifdef SO_PEERCRED
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(to, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && sees_the_same(peer.pid)) other = peer.uid;
#else
    gid_t group;
    if (getpeereid(to, &other, &group) != 0) other = (uid_t)-1;
#endif
    if (other != geteuid()) {
        close(to);
        return -1;
    }
    return to;
}

static int write_all(int to, const char *from, size_t length) {
    while (length) {
        ssize_t wrote = write(to, from, length);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = to, .events = POLLOUT};
            if (poll(&wait, 1, patience_ms) == 0) return EAGAIN;
            continue;
        }
        if (wrote < 0) return errno;
        from += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

static int read_all(int from, char *to, size_t length) {
    while (length) {
        ssize_t got = read(from, to, length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = from, .events = POLLIN};
            if (poll(&wait, 1, JUDGE_MS_MAX) == 0) return 0;
            continue;
        }
        if (got <= 0) return 0;
        to += got;
        length -= (size_t)got;
    }
    return 1;
}

/* The next frame without content, which comes within a certain time; 0 if none does. */
static char awaited(int from, int ms_max) {
    char head[5];
    struct pollfd wait = {.fd = from, .events = POLLIN};
    return poll(&wait, 1, ms_max) == 1 && read_all(from, head, 5) ? head[0] : 0;
}

static int send_frame(int to, char type, const char *payload, size_t length) {
    char head[5] = {type, (char)(length >> 24), (char)(length >> 16), (char)(length >> 8), (char)length};
    char whole[INPUT_BYTES + 5];
    memcpy(whole, head, 5);
    memcpy(whole + 5, payload, length);
    return write_all(to, whole, length + 5) == 0;
}

/* Says how something went: nothing if it went well, else what the system calls the error. */
static int send_result(int to, char type, int error) {
    const char *text = error ? strerror(error) : "";
    return send_frame(to, type, text, strlen(text));
}

/* In a locale that is not UTF-8 the program reads words in another way than the resident would. */
static void require_utf8_locale(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value) continue;
        if (strcmp(value, "C") != 0 && strcmp(value, "POSIX") != 0 && !strcasestr(value, "utf-8") && !strcasestr(value, "utf8"))
            go_cold();
        return;
    }
}

static void add_request(struct bytes *to, const char *cwd) {
    struct stat here;
    mode_t mask = umask(0);
    umask(mask);
    if (stat(".", &here) != 0) go_cold();
    add_number(to, 2, 1);
    add_number(to, (uint64_t)(isatty(0) ? 1 : 0) | (isatty(1) ? 2 : 0) | (isatty(2) ? 4 : 0), 1);
    add_number(to, mask, 4);
    add_number(to, (uint64_t)getpid(), 8);
    add_number(to, (uint64_t)here.st_dev, 8);
    add_number(to, (uint64_t)here.st_ino, 8);
    add_text(to, cwd);
    uint64_t count = 0;
    for (char **word = words; *word; word++) count++;
    add_number(to, count, 4);
    for (char **word = words; *word; word++) add_text(to, *word);
    char columns[32] = "";
    if (isatty(1) && !getenv("COLUMNS")) {
        struct winsize size = {0};
        int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
        if (terminal >= 0) ioctl(terminal, TIOCGWINSZ, &size);
        snprintf(columns, sizeof columns, "COLUMNS=%d", size.ws_col > 0 ? size.ws_col : 80);
    }
    count = *columns ? 1 : 0;
    for (char **set = environ; *set; set++) count++;
    add_number(to, count, 4);
    for (char **set = environ; *set; set++) add_text(to, *set);
    if (*columns) add_text(to, columns);
}

/* All that was sent has been answered, if the resident has counted as many pieces. It also says what a process that goes
 * on has to be told. */
static void rest(const char *payload, size_t length) {
    const unsigned char *count = (const unsigned char *)payload;
    char memory[128];
    if (length < 4 || length - 4 >= sizeof memory) give_up();
    memcpy(memory, payload + 4, length - 4);
    memory[length - 4] = 0;
    setenv("RSM_MCP_CLIENT", memory, 1);
    at_rest = pieces == ((uint32_t)count[0] << 24 | (uint32_t)count[1] << 16 | (uint32_t)count[2] << 8 | count[3]);
}

/* Says that there is standard input, and reads none. A resident that is stopped does not ask for it. */
static void offer(int resident) {
    struct pollfd wait = {.fd = resident, .events = POLLIN};
    if (!send_frame(resident, 'r', "", 0)) give_up();
    if (at_rest && poll(&wait, 1, JUDGE_MS_MAX) == 0) go_cold();
}

/* Does what the resident asks for until it says how the command ended. */
static int serve(int resident) {
    static char payload[FRAME_BYTES_MAX], input[INPUT_BYTES];
    char wanted = 0;
    while (1) {
        if (wanted) {
            struct pollfd both[2] = {{.fd = resident, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
            if (poll(both, 2, -1) < 0) {
                if (errno != EINTR) give_up();
                continue;
            }
            if (!both[0].revents && both[1].revents && wanted == 'W') {
                wanted = 0;
                offer(resident);
                continue;
            }
            if (!both[0].revents) {
                ssize_t got = both[1].revents ? read(0, input, sizeof input) : 0;
                if (!both[1].revents || (got < 0 && errno == EINTR)) continue;
                wanted = 0;
                at_rest = 0;
                pieces++;
                if (!(got < 0 ? send_result(resident, 'j', errno) : send_frame(resident, 'i', input, (size_t)got))) give_up();
                continue;
            }
        }
        unsigned char head[5];
        if (!read_all(resident, (char *)head, 5)) give_up();
        size_t length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
        if (length > sizeof payload || !read_all(resident, payload, length)) give_up();
        switch (head[0]) {
            case 'o':
            case 'e':
                if (!send_result(resident, 'k', write_all(head[0] == 'o' ? 1 : 2, payload, length))) give_up();
                break;
            case 'I':
            case 'W':
                wanted = (char)head[0];
                break;
            case 'q':
                rest(payload, length);
                break;
            case 'x':
                return ended(length == 1 ? (unsigned char)payload[0] : 1);
            default:
                give_up();
        }
    }
}

int main(int count, char **arguments) {
    struct stat hive, jar;
    struct bytes request = {0};
    char cwd[PATH_MAX], identity[256], name[32];
    if (count < 4) {
        fprintf(stderr, "usage: rsm-client LAUNCHER JAR VERB WORD...; called by the launcher rsm\n");
        return 2;
    }
    launcher = arguments[1];
    verb = arguments[3];
    words = arguments + 4;
    // The socket must not get the number of a closed standard stream, as whatever is opened next would.
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0) go_cold();
    signal(SIGPIPE, SIG_IGN);
    if (!getcwd(cwd, sizeof cwd) || *cwd != '/' || stat(arguments[2], &jar) != 0) go_cold();
    find_hive(cwd, &hive);
    require_utf8_locale();
    snprintf(identity, sizeof identity, "%llx:%llx:%llx:%llx:%llx", (unsigned long long)hive.st_dev,
             (unsigned long long)hive.st_ino, (unsigned long long)jar.st_dev, (unsigned long long)jar.st_ino,
             (unsigned long long)jar.st_mtime);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)hash(14695981039346656037ULL, identity));
    int resident = connected(getenv("XDG_RUNTIME_DIR"), "pheromone", name);
    if (resident < 0) resident = connected(getenv("HOME"), ".cache/pheromone", name);
    if (resident < 0) go_cold();

    add(&request, "R\0\0\0\0", 5);
    add_request(&request, cwd);
    size_t length = request.length - 5;
    request.at[1] = (char)(length >> 24), request.at[2] = (char)(length >> 16);
    request.at[3] = (char)(length >> 8), request.at[4] = (char)length;
    // A resident that is stopped takes nothing, and must not keep this command waiting.
    patience_ms = HELLO_MS_MAX;
    if (write_all(resident, request.at, request.length) != 0) go_cold();
    patience_ms = -1;
    if (awaited(resident, HELLO_MS_MAX) != 'H' || awaited(resident, JUDGE_MS_MAX) != 'A') go_cold();
    fcntl(resident, F_SETFL, 0);
    if (!send_frame(resident, 'G', "", 0)) go_cold();
    return serve(resident);
}
