package dev.pheromone.disk;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystemException;

/// The real disk, but for one operation that its file system does not have.
public final class LimitedDisk {

    private LimitedDisk() {}

    public static Disk without(String operation) {
        Disk disk = new LocalDisk();
        return (Disk)
                Proxy.newProxyInstance(
                        Disk.class.getClassLoader(),
                        new Class<?>[] {Disk.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals(operation)) {
                                throw new FileSystemException(
                                        "file", null, "Operation not supported");
                            }
                            try {
                                return method.invoke(disk, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
