#!/usr/bin/env bash
# Prepares rsm for a quick start: makes its jar plain, then runs typical commands once and keeps the classes that they
# loaded, ready linked, in one cache for each kind of command.
#
#   train.sh FOLDER JAVA JVM-OPTION...     rewrites FOLDER/rsm.jar, writes FOLDER/NAME.aot
#
# NAME is a command that is typed often, or rsm for all others. A training run is one process, which runs several
# commands in the two hives that were made before. What fails here makes rsm slower, and nothing else.
set -u
folder=$1 java=$2
shift 2
options=("$@")
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS

playground=$(mktemp -d) || exit 1
trap 'rm -rf "$playground"' EXIT
# Plain names from here on: the JVM hands them to a second process, which would split a path that has a space.
cd "$folder" || exit 1
rm -f ./*.aot

"$java" -cp rsm.jar dev.pheromone.cli.PlainCalls rsm.jar rsm.jar.plain &&
    "$java" -cp rsm.jar.plain dev.pheromone.cli.Main --version &&
    mv -f rsm.jar.plain rsm.jar
rm -f rsm.jar.plain

"$java" -cp rsm.jar dev.pheromone.cli.Training "$playground/prepared" prepare

# Makes the cache $1 from what the class and the words that follow do.
train() {
    local name=$1
    shift
    "$java" "${options[@]}" -XX:AOTCacheOutput="$name.aot.new" -cp rsm.jar "$@" &&
        [[ -s $name.aot.new ]] && mv -f "$name.aot.new" "$name.aot"
}
# In hives of its own: another training empties inboxes.
typical() {
    cp -R "$playground/prepared" "$playground/$1" && train "$1" dev.pheromone.cli.Training "$playground/$1" "$1"
}
# Two at a time: each is one process after another.
{ typical rsm || train rsm dev.pheromone.cli.Main --version; typical check; } &
typical hook
typical send
typical mcp
typical up
wait
