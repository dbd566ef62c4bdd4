package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A folder that a service copies to other machines, in its own time and without regard to locks.
///
/// Known by its name, or by a file that the service leaves in it: there is no other sign.
public record SyncedFolder(String service, Path folder) {

    private static final List<Name> NAMES =
            List.of(
                    new Name("Dropbox", "Dropbox"),
                    new Name("Dropbox (", "Dropbox"),
                    new Name("OneDrive", "OneDrive"),
                    new Name("OneDrive -", "OneDrive"),
                    new Name("OneDrive-", "OneDrive"),
                    new Name("iCloud Drive", "iCloud"),
                    new Name("iCloudDrive", "iCloud"),
                    new Name("Mobile Documents", "iCloud"),
                    new Name("Google Drive", "Google Drive"),
                    new Name("GoogleDrive", "Google Drive"),
                    new Name("GoogleDrive-", "Google Drive"),
                    new Name("My Drive", "Google Drive"),
                    new Name("CloudStorage", "a cloud service"),
                    new Name("Nextcloud", "Nextcloud"),
                    new Name("ownCloud", "ownCloud"),
                    new Name("Box Sync", "Box"),
                    new Name("pCloudDrive", "pCloud"));

    private static final List<Marker> MARKERS =
            List.of(
                    // A folder of that name lies in every Dropbox user's home.
                    new Marker(".dropbox", Stat.Kind.FILE, "Dropbox"),
                    new Marker(".dropbox.cache", Stat.Kind.FOLDER, "Dropbox"),
                    new Marker(".tmp.driveupload", Stat.Kind.FOLDER, "Google Drive"),
                    new Marker(".tmp.drivedownload", Stat.Kind.FOLDER, "Google Drive"),
                    new Marker(".nextcloudsync.log", Stat.Kind.FILE, "Nextcloud"),
                    new Marker(".owncloudsync.log", Stat.Kind.FILE, "ownCloud"),
                    new Marker(".stfolder", Stat.Kind.FOLDER, "Syncthing"));

    /// @param text the folder's name, or its beginning if it ends in a mark
    private record Name(String text, String service) {
        boolean matches(String name) {
            char last = text.charAt(text.length() - 1);
            return Character.isLetter(last) ? name.equals(text) : name.startsWith(text);
        }
    }

    private record Marker(String name, Stat.Kind kind, String service) {}

    /// The synced folder that `folder`, a real path, is or lies in.
    public static Optional<SyncedFolder> around(Path folder, Disk disk) throws IOException {
        for (Path at = folder; at != null && at.getFileName() != null; at = at.getParent()) {
            String name = at.getFileName().toString();
            for (Name known : NAMES) {
                if (known.matches(name)) {
                    return Optional.of(new SyncedFolder(known.service(), at));
                }
            }
            for (Marker marker : MARKERS) {
                Optional<Stat> stat = disk.stat(at.resolve(marker.name()));
                if (stat.isPresent() && stat.get().kind() == marker.kind()) {
                    return Optional.of(new SyncedFolder(marker.service(), at));
                }
            }
        }
        return Optional.empty();
    }
}
