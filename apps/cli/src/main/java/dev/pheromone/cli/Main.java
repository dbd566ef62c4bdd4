package dev.pheromone.cli;

/// The entry point of `rsm`.
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println("rsm " + Main.class.getPackage().getImplementationVersion());
    }
}
