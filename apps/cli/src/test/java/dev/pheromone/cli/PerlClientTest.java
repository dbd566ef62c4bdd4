package dev.pheromone.cli;

/// The same with the client in Perl, for machines without a C compiler.
final class PerlClientTest extends ResidentTest {

    @Override
    ResidentClient.Kind kind() {
        return ResidentClient.Kind.PERL;
    }
}
