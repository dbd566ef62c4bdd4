package dev.pheromone.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.lang.runtime.ObjectMethods;
import java.lang.runtime.SwitchBootstraps;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/// Rewrites the program's jar for a quick start: a switch over types, and the methods that every
/// record has, become plain code.
///
/// The compiler leaves both to the first call, when the JVM makes classes for them. The start-up
/// cache keeps what lambdas and joined strings need, but nothing of that, so that each command
/// would spend 15 to 30 ms on it. The source stays as it is, and so do the classes that tests and
/// other programs use.
public final class PlainCalls {

    private static final String OURS = "dev/pheromone/";
    private static final String CLASS = ".class";

    private static final ClassDesc SWITCHES = descOf(SwitchBootstraps.class);
    private static final ClassDesc RECORDS = descOf(ObjectMethods.class);
    private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");
    private static final ClassDesc BUILDER = ClassDesc.of("java.lang.StringBuilder");
    private static final MethodTypeDesc APPEND_TEXT =
            MethodTypeDesc.of(BUILDER, ConstantDescs.CD_String);

    /// Where the names of a record's fields stand among what the compiler tells of a record; the
    /// ways to read them follow.
    private static final int NAMES = 1;

    private final ClassFile files;

    /// @param resolver knows the types that the classes name
    PlainCalls(ClassHierarchyResolver resolver) {
        this.files =
                ClassFile.of(
                        ClassHierarchyResolverOption.of(
                                resolver.orElse(ClassHierarchyResolver.defaultResolver())));
    }

    /// Reads the jar that is the first argument, and writes the second.
    public static void main(String[] args) throws IOException {
        try (ZipFile from = new ZipFile(args[0]);
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(Path.of(args[1])))) {
            PlainCalls calls =
                    new PlainCalls(
                            ClassHierarchyResolver.ofResourceParsing(type -> open(from, type)));
            for (ZipEntry entry : from.stream().map(ZipEntry.class::cast).toList()) {
                byte[] bytes = from.getInputStream(entry).readAllBytes();
                boolean isOurs =
                        entry.getName().startsWith(OURS) && entry.getName().endsWith(CLASS);
                write(to, entry, isOurs ? calls.plain(bytes) : bytes);
            }
        }
    }

    private static @Nullable InputStream open(ZipFile from, ClassDesc type) {
        String name = type.descriptorString();
        ZipEntry entry = from.getEntry(name.substring(1, name.length() - 1) + CLASS);
        try {
            return entry == null ? null : from.getInputStream(entry);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(ZipOutputStream to, ZipEntry entry, byte[] bytes) throws IOException {
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        copy.setMethod(entry.getMethod());
        if (entry.getMethod() == ZipEntry.STORED) {
            CRC32 crc = new CRC32();
            crc.update(bytes);
            copy.setCrc(crc.getValue());
            copy.setSize(bytes.length);
        }
        to.putNextEntry(copy);
        to.write(bytes);
        to.closeEntry();
    }

    private static ClassDesc descOf(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /// A switch that became a method of its class: which of the labels is the first, from the given
    /// one on, that the value is an instance of.
    private record Switch(String name, MethodTypeDesc type, List<ClassDesc> labels) {}

    /// The same class with plain code.
    byte[] plain(byte[] bytes) {
        ClassModel model = files.parse(bytes);
        ClassDesc self = model.thisClass().asSymbol();
        boolean isInterface = model.flags().has(AccessFlag.INTERFACE);
        List<Switch> switches = new ArrayList<>();
        CodeTransform calls =
                (code, element) -> {
                    if (element instanceof InvokeDynamicInstruction call && isTypeSwitch(call)) {
                        Switch made =
                                new Switch(
                                        "switch$" + switches.size(),
                                        call.typeSymbol(),
                                        call.bootstrapArgs().stream()
                                                .map(ClassDesc.class::cast)
                                                .toList());
                        switches.add(made);
                        code.invokestatic(self, made.name(), made.type(), isInterface);
                    } else if (element instanceof InvokeDynamicInstruction call
                            && call.bootstrapMethod().owner().equals(RECORDS)) {
                        new RecordMethod(code, self, fields(call)).write(call);
                    } else {
                        code.with(element);
                    }
                };
        ClassTransform all =
                ClassTransform.transformingMethodBodies(calls)
                        .andThen(
                                ClassTransform.endHandler(type ->
                                        switches.forEach(each ->
                                                type.withMethodBody(
                                                        each.name(),
                                                        each.type(),
                                                        ClassFile.ACC_PRIVATE
                                                                | ClassFile.ACC_STATIC
                                                                | ClassFile.ACC_SYNTHETIC,
                                                        code -> write(code, each)))));
        return files.transformClass(model, all);
    }

    private static boolean isTypeSwitch(InvokeDynamicInstruction call) {
        return call.bootstrapMethod().owner().equals(SWITCHES)
                && call.bootstrapMethod().methodName().equals("typeSwitch")
                && call.bootstrapArgs().stream().allMatch(ClassDesc.class::isInstance);
    }

    private static void write(CodeBuilder code, Switch made) {
        Label there = code.newLabel();
        code.aload(0).ifnonnull(there).loadConstant(-1).ireturn().labelBinding(there);
        int count = made.labels().size();
        for (int i = 0; i < count; i++) {
            Label next = code.newLabel();
            code.iload(1).loadConstant(i).if_icmpgt(next);
            code.aload(0).instanceOf(made.labels().get(i)).ifeq(next);
            code.loadConstant(i).ireturn().labelBinding(next);
        }
        code.loadConstant(count).ireturn();
    }

    /// A field of a record.
    private record Field(String name, ClassDesc type) {}

    private static List<Field> fields(InvokeDynamicInstruction call) {
        return call.bootstrapArgs().stream()
                .skip(NAMES + 1)
                .map(DirectMethodHandleDesc.class::cast)
                .map(getter -> new Field(getter.methodName(), getter.invocationType().returnType()))
                .toList();
    }

    /// One of the methods that every record has, with the record, and for `equals` the other value,
    /// on the stack.
    private record RecordMethod(CodeBuilder code, ClassDesc self, List<Field> fields) {

        void write(InvokeDynamicInstruction call) {
            switch (call.name().stringValue()) {
                case "equals" -> equality();
                case "hashCode" -> hash();
                case "toString" -> text();
                default -> code.with(call);
            }
        }

        private CodeBuilder get(int record, Field field) {
            return code.aload(record).getfield(self, field.name(), field.type());
        }

        private void equality() {
            int other = code.allocateLocal(TypeKind.REFERENCE);
            int mine = code.allocateLocal(TypeKind.REFERENCE);
            int cast = code.allocateLocal(TypeKind.REFERENCE);
            Label no = code.newLabel();
            Label end = code.newLabel();
            code.astore(other).astore(mine);
            code.aload(other).instanceOf(self).ifeq(no);
            code.aload(other).checkcast(self).astore(cast);
            for (Field field : fields) {
                get(mine, field);
                get(cast, field);
                switch (field.type().descriptorString()) {
                    case "I", "Z", "B", "S", "C" -> code.if_icmpne(no);
                    case "J" -> code.lcmp().ifne(no);
                    case "F" -> compare(ConstantDescs.CD_Float, "(FF)I").ifne(no);
                    case "D" -> compare(ConstantDescs.CD_Double, "(DD)I").ifne(no);
                    default ->
                            call(OBJECTS, "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z")
                                    .ifeq(no);
                }
            }
            code.loadConstant(1).goto_(end).labelBinding(no).loadConstant(0).labelBinding(end);
        }

        private CodeBuilder compare(ClassDesc type, String descriptor) {
            return call(type, "compare", descriptor);
        }

        private CodeBuilder call(ClassDesc owner, String name, String descriptor) {
            return code.invokestatic(owner, name, MethodTypeDesc.ofDescriptor(descriptor));
        }

        private void hash() {
            int mine = code.allocateLocal(TypeKind.REFERENCE);
            code.astore(mine).loadConstant(0);
            for (Field field : fields) {
                code.loadConstant(31).imul();
                get(mine, field);
                switch (field.type().descriptorString()) {
                    case "I", "B", "S", "C" -> {}
                    case "Z" -> call(ConstantDescs.CD_Boolean, "hashCode", "(Z)I");
                    case "J" -> call(ConstantDescs.CD_Long, "hashCode", "(J)I");
                    case "F" -> call(ConstantDescs.CD_Float, "hashCode", "(F)I");
                    case "D" -> call(ConstantDescs.CD_Double, "hashCode", "(D)I");
                    default -> call(OBJECTS, "hashCode", "(Ljava/lang/Object;)I");
                }
                code.iadd();
            }
        }

        private void text() {
            int mine = code.allocateLocal(TypeKind.REFERENCE);
            code.astore(mine);
            code.new_(BUILDER).dup();
            code.invokespecial(BUILDER, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void);
            append(self.displayName().replaceFirst(".*\\$\\d*", "") + "[");
            String before = "";
            for (Field field : fields) {
                append(before + field.name() + "=");
                get(mine, field);
                ClassDesc type =
                        switch (field.type().descriptorString()) {
                            case "I", "Z", "C", "J", "F", "D" -> field.type();
                            case "B", "S" -> ConstantDescs.CD_int;
                            default -> ConstantDescs.CD_Object;
                        };
                code.invokevirtual(BUILDER, "append", MethodTypeDesc.of(BUILDER, type));
                before = ", ";
            }
            append("]");
            code.invokevirtual(BUILDER, "toString", MethodTypeDesc.of(ConstantDescs.CD_String));
        }

        private void append(String text) {
            code.loadConstant(text).invokevirtual(BUILDER, "append", APPEND_TEXT);
        }
    }
}
