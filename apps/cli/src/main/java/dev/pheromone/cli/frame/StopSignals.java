package dev.pheromone.cli.frame;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Listens for the signals that ask a process to end, until it is closed.
///
/// The JDK's class for signals has no supported name, so it is looked up when it is needed; where
/// it is missing, a signal ends the process at once, and its claims return to the hive.
public final class StopSignals implements AutoCloseable {

    private static final List<String> NAMES = List.of("TERM", "INT", "HUP");

    private final Map<Object, Object> before = new LinkedHashMap<>();

    public StopSignals(Runnable action) {
        try {
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler =
                    Proxy.newProxyInstance(
                            handlerType.getClassLoader(),
                            new Class<?>[] {handlerType},
                            (_, method, _) -> {
                                if (method.getName().equals("handle")) {
                                    action.run();
                                }
                                return null;
                            });
            for (String name : NAMES) {
                listen(name, handler);
            }
        } catch (ReflectiveOperationException e) {
            // Then there is nobody to listen with.
        }
    }

    private void listen(String name, Object handler) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        try {
            Object signal = type.getConstructor(String.class).newInstance(name);
            before.put(signal, handle().invoke(null, signal, handler));
        } catch (InvocationTargetException e) {
            // A system without this signal, or one that is ignored on purpose, as under nohup.
        }
    }

    private static Method handle() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        return type.getMethod("handle", type, Class.forName("sun.misc.SignalHandler"));
    }

    @Override
    public void close() {
        for (Map.Entry<Object, Object> entry : new ArrayList<>(before.entrySet())) {
            try {
                Object _ = handle().invoke(null, entry.getKey(), entry.getValue());
            } catch (ReflectiveOperationException e) {
                // It worked a moment ago; the process ends soon in any case.
            }
        }
    }
}
