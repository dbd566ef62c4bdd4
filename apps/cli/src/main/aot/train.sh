#!/usr/bin/env bash
# Makes the start-up cache of rsm: runs typical commands once, and keeps the classes that they loaded, ready linked.
#
#   train.sh FOLDER JAVA JVM-OPTION...     reads FOLDER/rsm.jar, writes FOLDER/rsm.aot
#
# A training run is one process: dev.pheromone.cli.Training, if the jar has it, runs several commands in one, with the
# empty folder that it is given as its playground.
set -u
folder=$1 java=$2
shift 2
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS

playground=$(mktemp -d) || exit 1
trap 'rm -rf "$playground"' EXIT
# Plain names from here on: the JVM hands them to a second process, which would split a path that has a space.
cd "$folder" || exit 1

train() {
    "$java" "$@" && [[ -s rsm.aot.new ]] && mv -f rsm.aot.new rsm.aot
}
train "$@" -XX:AOTCacheOutput=rsm.aot.new -cp rsm.jar dev.pheromone.cli.Training "$playground" ||
    train "$@" -XX:AOTCacheOutput=rsm.aot.new -cp rsm.jar dev.pheromone.cli.Main --version
