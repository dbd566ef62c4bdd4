package dev.pheromone.disk;

/// One volume of this machine, as the system names it.
///
/// @param name where it is mounted, and what is mounted there: `/home (/dev/sda2)`
/// @param type the kind of file system in the system's own word: `ext4`, `nfs4`, `NTFS`
public record Mount(String name, String type, long freeBytes) {}
