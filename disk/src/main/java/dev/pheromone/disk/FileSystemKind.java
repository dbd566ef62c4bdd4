package dev.pheromone.disk;

import java.util.Locale;
import java.util.Set;

/// What a hive may expect of a file system, by its type.
public enum FileSystemKind {
    /// Of this machine, and whole again after a power cut: what was forced to the disk is there.
    JOURNALING,

    /// Of this machine, but a power cut may cost files, or all of them.
    NOT_JOURNALING,

    /// Shared with the machine around this one: whether a lock or a forced write reaches that far
    /// is up to it.
    SHARED_WITH_HOST,

    /// On another machine: locks and names are seen late there, or not at all.
    NETWORK,

    /// A view of somebody's cloud, in which files come and go as that pleases.
    SYNCED,

    UNKNOWN;

    private static final Set<String> JOURNALING_TYPES =
            Set.of(
                    "ext3",
                    "ext4",
                    "xfs",
                    "btrfs",
                    "zfs",
                    "jfs",
                    "f2fs",
                    "bcachefs",
                    "nilfs2",
                    "reiserfs",
                    "apfs",
                    "hfs",
                    "ntfs",
                    "ntfs3",
                    "refs");

    private static final Set<String> NOT_JOURNALING_TYPES =
            Set.of(
                    "tmpfs",
                    "ramfs",
                    "devtmpfs",
                    "ext2",
                    "vfat",
                    "msdos",
                    "fat",
                    "fat32",
                    "exfat",
                    "minix",
                    "hugetlbfs");

    private static final Set<String> SHARED_TYPES =
            Set.of(
                    "9p",
                    "v9fs",
                    "drvfs",
                    "virtiofs",
                    "vboxsf",
                    "prl_fs",
                    "vmhgfs",
                    "fuse.vmhgfs-fuse",
                    "fuse.grpcfuse",
                    "osxfs",
                    "fakeowner");

    private static final Set<String> NETWORK_TYPES =
            Set.of(
                    "cifs",
                    "afs",
                    "afpfs",
                    "webdav",
                    "davfs",
                    "ceph",
                    "lustre",
                    "gpfs",
                    "gfs2",
                    "ocfs2",
                    "coda",
                    "ncpfs",
                    "beegfs",
                    "fuse.sshfs",
                    "fuse.glusterfs",
                    "fuse.ceph",
                    "fuse.davfs2",
                    "fuse.curlftpfs",
                    "fuse.s3fs",
                    "fuse.goofys",
                    "fuse.gcsfuse",
                    "fuse.juicefs",
                    "fuse.mount-s3",
                    "fuse.gvfsd-fuse",
                    "fuse.kio-fuse");

    private static final Set<String> SYNCED_TYPES =
            Set.of(
                    "fuse.rclone",
                    "fuse.onedriver",
                    "fuse.google-drive-ocamlfuse",
                    "fuse.dbxfs",
                    "fuse.seadrive",
                    "fuse.pcloud",
                    "fuse.pfs",
                    "fuse.mega-fuse",
                    "fuse.insync");

    /// The file systems whose journal takes a file and its names together, as real power cuts have
    /// shown of each.
    private static final Set<String> NAMES_WITH_FILE_TYPES = Set.of("ext4", "xfs", "btrfs");

    /// Whether a file of a file system of this `type` that was forced is found under its names
    /// after a power cut, although its folder was not forced. POSIX promises nothing of the kind.
    public static boolean forcesNamesWithFile(String type) {
        return NAMES_WITH_FILE_TYPES.contains(type.toLowerCase(Locale.ROOT));
    }

    /// The kind of `type`, in the word of whichever system it runs on.
    public static FileSystemKind of(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        if (JOURNALING_TYPES.contains(name)) {
            return JOURNALING;
        }
        if (NOT_JOURNALING_TYPES.contains(name)) {
            return NOT_JOURNALING;
        }
        if (SHARED_TYPES.contains(name)) {
            return SHARED_WITH_HOST;
        }
        if (NETWORK_TYPES.contains(name) || name.startsWith("nfs") || name.startsWith("smb")) {
            return NETWORK;
        }
        return SYNCED_TYPES.contains(name) ? SYNCED : UNKNOWN;
    }
}
