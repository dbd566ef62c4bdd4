# Hands one command to the resident process of its hive, as rsm-client.c does, where there is no C compiler.
#
#   perl rsm-client.pl LAUNCHER JAR VERB WORD...
#
# Slower than the client in C by the start of perl, and quicker than a JVM by far. It says and decides the same: the frames
# are described in the class Frames of the package dev.pheromone.cli.resident, the reasons beside each step in rsm-client.c.
use strict;
use warnings;
use Cwd ();
use Fcntl qw(F_GETFD F_SETFD FD_CLOEXEC :mode);
use Socket qw(AF_UNIX SOCK_STREAM SOL_SOCKET SO_PEERCRED pack_sockaddr_un);
use Time::HiRes ();

my $HELLO_S_MAX = 0.25;
my $JUDGE_S_MAX = 5;
my $REQUEST_BYTES_MAX = 1 << 20;
my $FRAME_BYTES_MAX = 1 << 20;
my $INPUT_BYTES = 64 * 1024;
my $ADDRESS_BYTES_MAX = 107;
my $TIOCGWINSZ = 0x5413;

if (@ARGV < 3) {
    print STDERR "usage: rsm-client.pl LAUNCHER JAR VERB WORD...; called by the launcher rsm\n";
    exit 2;
}
my ($launcher, $jar, $verb, @words) = @ARGV;
# A hook that guards says no if nobody knows; one that only tells of mail, as the launcher says, says nothing.
my $failed = $verb ne 'hook' ? 1 : $ENV{RSM_BELL} ? 0 : 2;

sub go_cold {
    $ENV{RSM_COLD} = 1;
    $SIG{PIPE} = 'DEFAULT';
    no warnings 'exec';
    exec {$launcher} $launcher, @words;
    print STDERR "rsm: error: $launcher: $!\n";
    exit $failed;
}

# Of a command that stays: how many pieces of standard input were sent, and whether all of them were answered.
my $pieces = 0;
my $at_rest = 0;

sub give_up {
    go_cold() if $at_rest;
    print STDERR "rsm: error: the resident process ended while it worked on this command; what it did is not known\n",
        "rsm: hint: look at what was done before you repeat it: rsm log --tail 5\n";
    exit $failed;
}

sub ended {
    my $exit = shift;
    exit $exit if $verb ne 'hook' || $exit == 0 || $exit == 2;
    exit 0 if !$failed;
    print STDERR "rsm: error: the hook ended with exit $exit, expected 0 or 2: blocked\n";
    exit 2;
}

sub is_utf8 { my $copy = shift; return utf8::decode($copy) }

sub text {
    my $text = shift;
    is_utf8($text) or go_cold();
    return pack('N/a*', $text);
}

# FNV-1a; the multiplication wraps at 64 bits.
sub hash_of {
    use integer;
    my $hash = -3750763034362895579;
    $hash = ($hash ^ ord) * 1099511628211 for split //, shift;
    return sprintf '%016x', $hash;
}

# What `stat` says of the hive's folder in `folder`, or in the main work tree if `folder` is a linked one.
sub hive_in {
    my $folder = shift;
    my @git = lstat "$folder/.git";
    if (@git && S_ISREG($git[2]) && open my $file, '<', "$folder/.git") {
        my $line = <$file> // '';
        if ($line =~ m{^gitdir: (.*?)/\.git/worktrees/}) {
            my $main = $1;
            my @found = stat "$main/.deia";
            return $main =~ m{^/} ? @found : ();
        }
    }
    my @found = stat "$folder/.deia";
    return @found && S_ISDIR($found[2]) ? @found : ();
}

sub find_hive {
    my $folder = shift;
    my $named = $ENV{RSM_ROOT};
    for my $i (0 .. $#words) {
        last if $words[$i] eq '--';
        $named = $words[$i + 1] if $words[$i] eq '--root' && $i < $#words;
        $named = $1 if $words[$i] =~ /^--root=(.*)/s;
    }
    if (defined $named && $named ne '') {
        my @found = hive_in($named);
        @found or go_cold();
        return @found;
    }
    while (1) {
        my @found = hive_in($folder);
        return @found if @found;
        $folder =~ s{(?<=.)/[^/]*$}{} or go_cold();
    }
}

sub sees_the_same {
    my $other = shift;
    my $own = readlink('/proc/self/ns/mnt') // return 1;
    return $own eq (readlink("/proc/$other/ns/mnt") // '');
}

# A connection to the socket `name` in a folder that is ours alone, or nothing.
sub connected {
    my ($base, $below, $name) = @_;
    return if !defined $base || $base !~ m{^/};
    my $folder = "$base/$below";
    return if length("$folder/$name") > $ADDRESS_BYTES_MAX;
    my @it = lstat $folder;
    return if !@it || !S_ISDIR($it[2]) || $it[4] != $> || ($it[2] & 077);
    socket(my $to, AF_UNIX, SOCK_STREAM, 0) or return;
    connect($to, pack_sockaddr_un("$folder/$name")) or return;
    my $peer = getsockopt($to, SOL_SOCKET, SO_PEERCRED) or return;
    my ($pid, $account) = unpack 'iII', $peer;
    return if $account != $> || !sees_the_same($pid);
    return $to;
}

sub readable {
    my ($from, $seconds) = @_;
    my $bits = '';
    vec($bits, fileno $from, 1) = 1;
    return select($bits, undef, undef, $seconds) > 0;
}

sub write_all {
    my ($to, $bytes) = @_;
    my $at = 0;
    while ($at < length $bytes) {
        my $wrote = syswrite $to, $bytes, length($bytes) - $at, $at;
        if (!defined $wrote) {
            next if $!{EINTR};
            if ($!{EAGAIN}) {
                my $bits = '';
                vec($bits, fileno $to, 1) = 1;
                select undef, $bits, undef, undef;
                next;
            }
            return "$!";
        }
        $at += $wrote;
    }
    return '';
}

sub read_all {
    my ($from, $length) = @_;
    my $bytes = '';
    while (length $bytes < $length) {
        my $got = sysread $from, $bytes, $length - length $bytes, length $bytes;
        next if !defined $got && $!{EINTR};
        return if !$got;
    }
    return $bytes;
}

# The next frame without content, which comes within a certain time.
sub awaited {
    my ($from, $seconds) = @_;
    readable($from, $seconds) or return '';
    my $head = read_all($from, 5) // return '';
    return substr $head, 0, 1;
}

sub send_frame {
    my ($to, $type, $payload) = @_;
    return write_all($to, pack('aN/a*', $type, $payload)) eq '';
}

sub require_utf8_locale {
    for my $name (qw(LC_ALL LC_CTYPE LANG)) {
        my $value = $ENV{$name} // '';
        next if $value eq '';
        $value =~ /^(C|POSIX)$|utf-?8/i or go_cold();
        return;
    }
}

sub request {
    my $cwd = shift;
    my @here = stat '.' or go_cold();
    my @settings = map { "$_=$ENV{$_}" } keys %ENV;
    if (-t STDOUT && !exists $ENV{COLUMNS}) {
        my ($size, $columns) = ("\0" x 8, 0);
        if (open my $terminal, '<', '/dev/tty') {
            $columns = (unpack 'S4', $size)[1] if ioctl $terminal, $TIOCGWINSZ, $size;
        }
        push @settings, 'COLUMNS=' . ($columns || 80);
    }
    my $terminals = (-t STDIN ? 1 : 0) | (-t STDOUT ? 2 : 0) | (-t STDERR ? 4 : 0);
    my $request = pack 'CCNQ>Q>Q>', 2, $terminals, umask, $$, @here[0, 1];
    $request .= text($cwd) . pack('N', scalar @words) . join '', map { text($_) } @words;
    $request .= pack('N', scalar @settings) . join '', map { text($_) } @settings;
    length $request < $REQUEST_BYTES_MAX or go_cold();
    return $request;
}

sub rest {
    my ($count, $memory) = unpack 'Na*', shift;
    $ENV{RSM_MCP_CLIENT} = $memory;
    $at_rest = $count == $pieces;
}

sub offer {
    my $resident = shift;
    send_frame($resident, 'r', '') or give_up();
    go_cold() if $at_rest && !readable($resident, $JUDGE_S_MAX);
}

# Does what the resident asks for until it says how the command ended.
sub serve {
    my $resident = shift;
    my $wanted = '';
    while (1) {
        if ($wanted) {
            my $bits = '';
            vec($bits, fileno $_, 1) = 1 for $resident, *STDIN;
            my $ready = select $bits, undef, undef, undef;
            next if $ready < 0;
            if (!vec($bits, fileno $resident, 1) && $wanted eq 'W') {
                $wanted = '';
                offer($resident);
                next;
            }
            if (!vec $bits, fileno $resident, 1) {
                my $input;
                my $got = sysread STDIN, $input, $INPUT_BYTES;
                next if !defined $got && $!{EINTR};
                $wanted = '';
                $at_rest = 0;
                $pieces++;
                my $sent = defined $got ? send_frame($resident, 'i', $input) : send_frame($resident, 'j', "$!");
                $sent or give_up();
                next;
            }
        }
        my $head = read_all($resident, 5) // give_up();
        my ($type, $length) = unpack 'aN', $head;
        $length <= $FRAME_BYTES_MAX or give_up();
        my $payload = read_all($resident, $length) // give_up();
        if ($type eq 'o' || $type eq 'e') {
            send_frame($resident, 'k', write_all($type eq 'o' ? *STDOUT : *STDERR, $payload)) or give_up();
        } elsif ($type eq 'I' || $type eq 'W') {
            $wanted = $type;
        } elsif ($type eq 'q') {
            rest($payload);
        } elsif ($type eq 'x') {
            ended($length == 1 ? ord $payload : 1);
        } else {
            give_up();
        }
    }
}

$SIG{PIPE} = 'IGNORE';
# Elsewhere the numbers of system calls differ.
$^O eq 'linux' or go_cold();
# The socket must not get the number of a closed standard stream. This very file gets it when perl opens it.
my @self = stat $0;
for my $stream (0 .. 2) {
    my @it = stat "/proc/self/fd/$stream";
    next if @it && @self && "@it[0, 1]" ne "@self[0, 1]";
    open STDIN, '<', '/dev/null' if $stream == 0;
    go_cold();
}
my $cwd = Cwd::getcwd();
defined $cwd && $cwd =~ m{^/} or go_cold();
my @jar = stat $jar or go_cold();
my @hive = find_hive($cwd);
require_utf8_locale();
my $name = hash_of(sprintf '%x:%x:%x:%x:%x', @hive[0, 1], @jar[0, 1, 9]);
my $request = request($cwd);
# A resident that is stopped takes nothing, and must not keep this command waiting.
local $SIG{ALRM} = sub { go_cold() };
Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), $HELLO_S_MAX);
my $resident = connected($ENV{XDG_RUNTIME_DIR}, 'pheromone', $name) || connected($ENV{HOME}, '.cache/pheromone', $name)
    or go_cold();
send_frame($resident, 'R', $request) or go_cold();
Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), 0);
awaited($resident, $HELLO_S_MAX) eq 'H' && awaited($resident, $JUDGE_S_MAX) eq 'A' or go_cold();
send_frame($resident, 'G', '') or go_cold();
serve($resident);
