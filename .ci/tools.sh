# Finds what the build needs, a JDK 25 and Maven; read with `source` by ./rsm and ./test.
# Sets JAVA_HOME and MAVEN; returns 1 after one line on stderr if something is missing and can't be installed.

JAVA_RELEASE=25

# Whether $1 is the home of a JDK of our release, with a compiler.
is_our_jdk() {
    local line
    [[ -x $1/bin/javac && -r $1/release ]] || return 1
    while IFS= read -r line; do
        [[ $line == JAVA_VERSION=\"$JAVA_RELEASE[.\"]* ]] && return 0
    done <"$1/release"
    return 1
}

find_jdk() {
    local on_path home
    on_path=$(command -v javac) && on_path=$(readlink -f "$on_path" 2>/dev/null)
    for home in \
        "${JAVA_HOME:-}" \
        "${JAVA25_HOME:-}" \
        "${on_path%/bin/javac}" \
        /usr/lib/jvm/* \
        /usr/java/* \
        /opt/*jdk* \
        /opt/java/* \
        ~/.sdkman/candidates/java/* \
        ~/.jdks/* \
        ~/.local/share/mise/installs/java/* \
        ~/.asdf/installs/java/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        ~/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /c/Program\ Files/*/jdk-25*; do
        if [[ -n $home ]] && is_our_jdk "$home"; then
            export JAVA_HOME=$home
            return 0
        fi
    done
    return 1
}

# Installs a Debian package, if this is such a system and we may.
apt_install() {
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    echo "installing $1 with apt-get" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1" >/dev/null 2>&1 && return 0
    apt-get update -q >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1" >/dev/null 2>&1
}

find_tools() {
    if ! find_jdk && ! { apt_install "openjdk-$JAVA_RELEASE-jdk-headless" && find_jdk; }; then
        echo "no JDK $JAVA_RELEASE found; install one (for example Eclipse Temurin $JAVA_RELEASE) and set JAVA_HOME to it" >&2
        return 1
    fi
    if ! MAVEN=$(command -v mvn) && ! { apt_install maven && MAVEN=$(command -v mvn); }; then
        echo "no Maven found; install Maven 3.8 or newer, so that mvn is on the PATH" >&2
        return 1
    fi
}

# Runs Maven on the JDK found, so that Maven can compile by itself (`warm`); the two options keep a new JDK quiet about
# what older Maven libraries do. The rc files of Maven are skipped: a JAVA_HOME there would put Maven on another JDK.
maven() {
    MAVEN_SKIP_RC=1 MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow" \
        "$MAVEN" --batch-mode --no-transfer-progress -Dwarm "$@"
}

# Runs the formatter with the given arguments, after fetching it on first use.
formatter() {
    local folder=target/formatter exports=jdk.compiler/com.sun.tools.javac output
    if [[ ! -e $folder/google-java-format.jar || pom.xml -nt $folder ]]; then
        rm -rf "$folder"
        if ! output=$(maven --quiet --non-recursive dependency:copy@formatter 2>&1); then
            echo "$output" >&2
            return 2
        fi
    fi
    "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
        --add-exports="$exports".api=ALL-UNNAMED --add-exports="$exports".code=ALL-UNNAMED \
        --add-exports="$exports".file=ALL-UNNAMED --add-exports="$exports".parser=ALL-UNNAMED \
        --add-exports="$exports".tree=ALL-UNNAMED --add-exports="$exports".util=ALL-UNNAMED \
        -cp "$folder/*" com.google.googlejavaformat.java.Main --aosp "$@"
}
