/* The first control, preloaded into the programs of the guest: a force to the disk that does nothing and says "done".
 * A laboratory that loses no mail with it proves nothing. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

int fdatasync(int fd) {
    (void)fd;
    return 0;
}
