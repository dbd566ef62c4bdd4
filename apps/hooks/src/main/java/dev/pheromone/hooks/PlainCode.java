package dev.pheromone.hooks;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whether code uses nothing but the plainest means of its language. Its literals were taken out
/// before: a hole stands for each.
final class PlainCode {
    /// Stands where a literal was.
    static final String HOLE = "\u00a7";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");

    /// Calls that go to the file of their first argument, and such calls with one plain literal.
    private static final Pattern OPENS =
            Pattern.compile(
                    "\\b(?:open|readFileSync|writeFileSync|appendFileSync|existsSync|getsize|isfile"
                            + "|isdir)\\b");

    private static final Pattern OPENS_LITERAL =
            Pattern.compile(OPENS.pattern() + "\\s*\\(\\s*[0" + HOLE + "]\\s*[,)]");

    /// A path as a value of its own, read or written.
    private static final String PATH = "(?:pathlib\\.)?Path\\(" + HOLE + "\\)";

    private static final Pattern READ_PATH =
            Pattern.compile("\\b" + PATH + "\\.(?:read_text|read_bytes|exists|is_file)\\(");
    private static final Pattern WRITTEN_PATH = Pattern.compile("\\b" + PATH + "\\.write_text\\(");

    private static final Pattern NAMED_PATH =
            Pattern.compile("(?<=^|[;\\n])\\s*(\\w+)\\s*=\\s*" + PATH + "\\s*(?=[;\\n]|$)");

    /// A name for one literal, or for one after the other.
    private static final Pattern NAMED_LITERAL =
            Pattern.compile(
                    "(?<=^|[;\\n])\\s*(?:const\\s+|let\\s+|var\\s+)?(\\w+)\\s*=\\s*"
                            + HOLE
                            + "\\s*(?=[;\\n]|$)|\\bfor\\s+(\\w+)\\s+in\\s*[\\[(]\\s*"
                            + HOLE
                            + "(?:\\s*,\\s*"
                            + HOLE
                            + ")*\\s*,?\\s*[\\])]\\s*:");

    /// Signs with which code is hidden from us, or which mean more than they show.
    private static final Pattern TRICKY = Pattern.compile("[`\\\\#'\"]");

    /// In JavaScript also what is named by a text, modules as values, and slashes that may begin a
    /// pattern with quotes in it.
    private static final Pattern TRICKY_SCRIPT =
            Pattern.compile(
                    "(?<=[\\w)\\]"
                            + HOLE
                            + "])(?<!\\b(?:of|in|return|const|let|var))\\s*\\[(?!\\s*(?:"
                            + HOLE
                            + "|\\d+)\\s*\\])|\\]\\s*\\(|\\bimport\\b"
                            + "|\\b(?:process|console|fs)\\b(?!\\s*\\.)"
                            + "|(?<![\\d\\s])\\s*/|/\\s*+(?!\\d)");

    /// What is read as data, and the names of its parts: none of them is a function.
    private static final String DATA =
            "(?:JSON\\.parse|json\\.loads?|tomllib\\.loads?)\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)";

    private static final String PARTS = "(?:\\??\\.(?!constructor\\b|_)\\w+\\b(?!\\s*\\())+";

    private static final Pattern PARTS_OF_DATA = Pattern.compile("(" + DATA + ")" + PARTS);
    private static final Pattern NAMED_DATA =
            Pattern.compile("\\b([A-Za-z_]\\w*)\\s*=\\s*" + DATA + "\\s*(?:[;,\\n]|$)");

    /// Names that code gives to its own values.
    private static final Pattern BINDING =
            Pattern.compile(
                    "\\b(\\w+(?:\\s*,\\s*\\w+)*)\\s*=(?!=)|\\bfor\\s*\\(?(?:const|let|var)?\\s*\\[?"
                        + "([\\w\\s,]+?)\\]?\\s+(?:in|of)\\b|\\blambda\\s+([\\w\\s,]+):"
                        + "|\\(([\\w\\s,]+)\\)\\s*=>|\\b(\\w+)\\s*=>|\\b(?:const|let|var)\\s*[\\[{]([\\w\\s,]+)[\\]}]"
                        + "|\\b(?:def|function)\\s+(\\w+\\s*\\([\\w\\s,]*)\\)|\\bas\\s+(\\w+)\\s*:");

    /// Names that keep their meaning where code seems to give them another one.
    private static final Set<String> NEVER_OWN =
            Set.of(
                    ("exec eval compile getattr setattr delattr globals locals vars input help dir"
                         + " breakpoint license require module exports Function globalThis global"
                         + " Reflect fetch process console fs Deno Bun this arguments os vm"
                         + " child_process worker_threads cluster net http https repl v8 sqlite"
                         + " inspector Buffer path stream zlib tls dgram promises readline")
                            .split(" "));

    private static final Pattern IMPORT =
            Pattern.compile(
                    "(?<=^|[;:\\n])\\s*(?:from\\s+[\\w.]+\\s+)?import\\s+[\\w., \\t]+(?=[;\\n]|$)");

    /// What of other modules only tells something.
    private static final Pattern TOLD =
            Pattern.compile(
                    "\\b\\w+(?:\\.\\w+)*\\.__version__\\b|\\bos\\.(?:(?:getcwd|cpu_count|getpid)\\(\\)"
                        + "|(?:listdir|path\\.(?:exists|isfile|isdir|getsize))\\("
                            + HOLE
                            + "?\\)"
                            + "|(?:environ|sep|linesep|name)\\b)|\\bprint\\(sys\\.path\\)"
                            + "|\\bplatform\\.(?:system|machine|release|node|python_version)\\(\\)"
                            + "|\\bprocess\\.env\\.\\w+\\b(?!\\s*\\()");

    private static final Set<String> HARMLESS =
            Set.of(
                    ("import from as print len range sum min max abs round int float str bool list"
                         + " dict set tuple sorted reversed enumerate zip map filter for in of if"
                         + " else elif while not and or is None True False lambda return def pass"
                         + " break continue with try except finally raise assert yield del any all"
                         + " isinstance type ord chr bin oct hex pow divmod next iter bytes repr"
                         + " Exception ValueError KeyError json sys math re datetime time random"
                         + " string collections itertools statistics tomllib csv ast yaml hashlib"
                         + " base64 uuid decimal fractions platform textwrap fs open isfile console"
                         + " JSON Math Date Object Array Number String Boolean Set Map RegExp"
                         + " parseInt parseFloat isNaN const let var new typeof function async"
                         + " await null undefined true false process x y z a b c d e f g h i j k l"
                         + " m n o p q r s t u v w")
                            .split(" "));

    private static final Set<String> HARMLESS_PARTS =
            Set.of(
                    ("load loads safe_load dump dumps stdin stdout stderr read readline readlines"
                         + " write close version version_info platform maxsize argv exit executable"
                         + " now today strftime strptime isoformat fromisoformat utcnow timestamp"
                         + " fromtimestamp timedelta timezone utc total_seconds days seconds year"
                         + " month day hour minute second weekday date datetime time sqrt pi floor"
                         + " ceil log log2 log10 exp gcd factorial comb upper lower title"
                         + " capitalize strip lstrip rstrip split rsplit splitlines join replace"
                         + " format zfill ljust rjust center find rfind index count startswith"
                         + " endswith isdigit isalpha isalnum isspace isupper islower encode decode"
                         + " items keys values get setdefault append extend insert sort reverse"
                         + " copy update pop add union intersection difference Counter OrderedDict"
                         + " defaultdict namedtuple deque most_common chain product permutations"
                         + " combinations islice groupby mean median stdev reader DictReader match"
                         + " search fullmatch findall finditer sub group groups compile IGNORECASE"
                         + " MULTILINE choice choices randint shuffle sample uniform seed"
                         + " ascii_letters digits sha256 sha1 md5 sha512 hexdigest digest b64encode"
                         + " b64decode urlsafe_b64encode uuid4 hex Decimal Fraction dedent wrap"
                         + " fill __name__ open writeFileSync appendFileSync readFileSync"
                         + " existsSync error warn info table stringify parse toString toFixed"
                         + " versions arch pid cwd uptime length forEach reduce some every slice"
                         + " concat includes indexOf lastIndexOf push shift unshift flat flatMap"
                         + " padStart padEnd trim trimEnd trimStart repeat test replaceAll"
                         + " toUpperCase toLowerCase charAt charCodeAt fromCharCode localeCompare"
                         + " entries fromEntries assign isArray filter map abs min max round random"
                         + " has on once setEncoding sleep size toISOString getTime getFullYear"
                         + " toLocaleString name")
                            .split(" "));

    /// Printing and replacing lines in Perl: what its options do to files is seen elsewhere.
    private static final Pattern PERL = perl();

    /// Ruby and PHP that print values and calculate. In PHP a text in front of a bracket is the
    /// name of a function.
    private static final Pattern SIMPLE = simple();

    private static final Pattern CALLED_TEXT = Pattern.compile("[" + HOLE + ")\\]]\\s*\\(");

    /// Texts that have code in them, and signs that run a text.
    private static final Pattern TRICKY_TEXT = Pattern.compile("[#$`\\\\@&|<{]");

    private PlainCode() {}

    private static Pattern simple() {
        String name =
                "RUBY_VERSION|RUBY_PLATFORM|PHP_VERSION|PHP_EOL|PHP_OS|Time\\.now|phpversion|strlen"
                    + "|strtoupper|strtolower|str_repeat|date|time|count|implode|explode|json_encode|md5"
                    + "|sha1|round|max|min|intdiv|true|false|nil|null";
        String part =
                "\\.(?:length|size|upcase|downcase|capitalize|reverse|sum|min|max|sort|join|to_s|to_i|to_f"
                    + "|inspect|round|abs|even\\?|odd\\?|split|include\\?|first|last|uniq|count)";
        String value = "(?:" + HOLE + "|\\d+(?:\\.\\d+)?|\\b(?:" + name + ")\\b|" + part + "\\b)";
        String one = "(?:puts|print|echo|p)\\b(?:\\s|" + value + "|[-+*/%(),\\[\\].=!>])*";
        return Pattern.compile("\\s*" + one + "(?:[;\\n]\\s*(?:" + one + ")?)*");
    }

    /// Whether code of Ruby or PHP, without and with its literals, only prints and calculates.
    static boolean isSimple(String code, String text) {
        return !TRICKY_TEXT.matcher(text).find()
                && !CALLED_TEXT.matcher(code).find()
                && SIMPLE.matcher(code).matches();
    }

    private static Pattern perl() {
        String plain = "[^\\\\@$`(\\n]|\\((?!\\?\\??[{p]|\\*)|\\\\[^\\n]";
        String sought = "m?/(?:(?!/)(?:" + plain + ")|\\$(?=[/|)]))*/[imsxg]*";
        String number = "\\$\\. *[=<>!]=? *\\d+|[$.\\d =<>&]+|eof";
        String one = "(?:!|not )? *(?:" + sought + "|" + number + ")";
        String when =
                " *(?:if|unless) *\\(?"
                        + one
                        + "(?: *(?:&&|\\|\\||and|or|\\.\\.) *"
                        + one
                        + ")*\\)?";
        String printed =
                "print(?:"
                    + " *\\(?(?:\\$_|\\$\\d|\\$F\\[-?\\d+\\]|\"(?:[^\\\\@$`\"]|\\\\[^\\n]|\\$[\\d_.&]|\\$F\\[-?\\d+\\])*\")\\)?)?";
        String replaced =
                "s([/|,!])(?:(?!\\1)[^\\\\@$`(]|\\((?!\\?)|\\\\[^\\n]|\\$(?=\\1))*\\1"
                        + "(?:(?!\\1)[^\\\\@$`]|\\\\[^\\n]|\\$\\d)*\\1[gimsx]*";
        String step = "(?:" + printed + "|next|last|chomp)(?:" + when + ")?";
        return Pattern.compile("(?:" + replaced + "|" + step + ")(?:; *" + step + ")*;?");
    }

    /// Whether Perl code only prints or replaces lines of what it reads.
    static boolean isPerl(String code) {
        return PERL.matcher(code).matches();
    }

    /// Whether the code, of Python or else of JavaScript, does nothing but calculate, print, and
    /// open files that literals name.
    static boolean is(String code, boolean script) {
        String seen = script ? code : withPlainPaths(code.replaceAll("#[^\\n]*", ""));
        String told = withoutIdleImports(TOLD.matcher(seen).replaceAll(HOLE));
        String rest = withPlainNames(script ? withoutParts(told) : told);
        Set<String> own = script ? own(rest) : ownUnlessImported(rest);
        Matcher names = NAME.matcher(rest);
        while (names.find()) {
            boolean part = isPart(rest, names.start());
            boolean harmless =
                    part
                            ? HARMLESS_PARTS.contains(names.group())
                            : HARMLESS.contains(names.group()) || own.contains(names.group());
            if (!harmless) {
                return false;
            }
        }
        String modules = rest.replaceAll("\\b(?:const|let|var)\\s+fs\\s*=\\s*fs\\b", "");
        return !TRICKY.matcher(rest).find()
                && !(script && TRICKY_SCRIPT.matcher(modules).find())
                && OPENS.matcher(rest).results().count()
                        == OPENS_LITERAL.matcher(rest).results().count();
    }

    /// The code with paths opened, instead of asked for what is in there.
    private static String withPlainPaths(String code) {
        String opened = "open(" + HOLE + ").";
        String rest = READ_PATH.matcher(code).replaceAll(opened + "read(");
        rest = WRITTEN_PATH.matcher(rest).replaceAll(opened + "write(");
        for (var named : NAMED_PATH.matcher(rest).results().toList()) {
            String name = "\\b" + named.group(1);
            String reads = name + "\\.(?:read_text|read_bytes|exists|is_file)\\(";
            String writes = name + "\\.write_text\\(";
            if (count(name + "\\b", rest) == 1 + count(reads, rest) + count(writes, rest)) {
                rest = rest.replace(named.group(), "");
                rest =
                        rest.replaceAll(reads, opened + "read(")
                                .replaceAll(writes, opened + "write(");
            }
        }
        return rest;
    }

    private static long count(String pattern, String code) {
        return Pattern.compile(pattern).matcher(code).results().count();
    }

    /// The code with literals where names for them are opened, if these are used for nothing else.
    private static String withPlainNames(String code) {
        String rest = code;
        for (var named : NAMED_LITERAL.matcher(code).results().toList()) {
            String name = named.group(1) == null ? named.group(2) : named.group(1);
            String use = "(" + OPENS.pattern() + "|\\bprint)(\\s*\\(\\s*)" + name + "(?=\\s*[,)])";
            if (count("\\b" + name + "\\b", code) == 1 + count(use, code)) {
                rest = rest.replaceAll(use, "$1$2" + HOLE);
            }
        }
        return rest;
    }

    /// Whether the name that begins here is that of a part: a dot stands before it.
    private static boolean isPart(String code, int start) {
        int at = start - 1;
        while (at >= 0 && Character.isWhitespace(code.charAt(at))) {
            at--;
        }
        return at >= 0 && code.charAt(at) == '.';
    }

    /// Imports of which no name is used: they run a module, as starting it would.
    private static String withoutIdleImports(String code) {
        String rest = code;
        for (var statement : IMPORT.matcher(code).results().toList()) {
            String others = rest.replace(statement.group(), "");
            Set<String> used = names(others);
            Set<String> bound = names(statement.group());
            bound.removeAll(Set.of("import", "from", "as"));
            if (bound.stream().noneMatch(used::contains)) {
                rest = others;
            }
        }
        return rest;
    }

    private static String withoutParts(String code) {
        String rest = PARTS_OF_DATA.matcher(code).replaceAll("$1");
        for (var named : NAMED_DATA.matcher(rest).results().toList()) {
            String name = "\\b" + named.group(1);
            if (count(name + "\\s*=(?!=)", rest) == 1) {
                rest = rest.replaceAll("(?<!\\.)(" + name + "\\b)" + PARTS, "$1");
            }
        }
        return rest;
    }

    private static Set<String> ownUnlessImported(String code) {
        Set<String> own = own(code);
        IMPORT.matcher(code)
                .results()
                .forEach(statement -> own.removeAll(names(statement.group())));
        return own;
    }

    private static Set<String> own(String code) {
        var own = new HashSet<String>();
        BINDING.matcher(code).results().forEach(found -> own.addAll(names(found.group())));
        own.removeAll(NEVER_OWN);
        own.removeIf(name -> name.startsWith("__"));
        return own;
    }

    private static Set<String> names(String text) {
        var names = new HashSet<String>();
        NAME.matcher(text).results().forEach(found -> names.add(found.group()));
        return names;
    }
}
