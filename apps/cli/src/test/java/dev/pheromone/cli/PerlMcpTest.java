package dev.pheromone.cli;

/// The same with the client in Perl, for machines without a C compiler.
final class PerlMcpTest extends McpResidentTest {

    @Override
    ResidentClient.Kind kind() {
        return ResidentClient.Kind.PERL;
    }
}
