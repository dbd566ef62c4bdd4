package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/// What common programs do with their arguments, a row each: names, operands (the last role holds
/// for all that follow), options with a value (`!`: it takes the first operand's place), and when
/// the program goes through folders (`here`: through this one, if none is named).
final class ProgramTable {
    private static final String ROWS =
            """
            echo printf true false : pwd dirs whoami id groups date uname hostname sleep seq yes kill | data | -v:data |
            pkill killall pgrep jobs wait bg fg disown ps top uptime free df nproc arch tty clear history | data | |
            type which whereis hash umask ulimit times expr cal tput stty printenv basename dirname getconf | data | |
            locale lscpu lsblk dmesg who w last nslookup dig host ping logger say reset help man info | data | |
            cat tac nl less more bat zcat zless bzcat xzcat wc rev fold fmt pr column expand unexpand tsort | read | -s:data -b:data -w:data -l:data -c:data -t:data -n:data |
            head tail | read | -n,-c,--lines,--bytes,-s,--pid:data |
            sort | read | -o,--output:write -k,-t,-S,--key,--field-separator,-T:data --files0-from:read |
            uniq | read write | -f,-s,-w:data |
            shuf | read | -o,--output:write -n,-i:data --random-source:read |
            cut | read | -d,-f,-c,-b,--delimiter,--fields,--characters,--bytes,--output-delimiter:data |
            paste join comm | read | -d,-t,-o,-e,-1,-2,-j,-a,-v:data |
            diff cmp sdiff colordiff vimdiff | read | -U,-C,-I,-x,-W,-n,-i,--label,--exclude,--unified:data -X:read | always
            md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 | read | -a:data |
            file stat strings od xxd hexdump base64 base32 nm objdump readelf size ldd otool | read | -A,-t,-j,-N,-s,-l,-c,-f,-n,-w,-e,-m,--format,--printf:data |
            readlink realpath | read | --relative-to,--relative-base:data |
            tee sponge | write | |
            ls dir vdir exa eza lsd | read | -I,--ignore,--color,--sort,--time,-w,-T:data | -R --recursive here
            tree | read | -L,-P,-I:data -o:write | always here
            du ncdu | read | -d,--max-depth,--exclude,-t:data | always here
            grep egrep fgrep zgrep ggrep | data read | -e,--regexp:data! -f,--file:read! -m,-A,-B,-C,-d,-D,--max-count,--include,--exclude,--exclude-dir,--color,--label,--context:data --exclude-from:read | -r -R --recursive --dereference-recursive here
            rg | data read | -e,--regexp:data! -f,--file:read! -g,-t,-T,-A,-B,-C,-m,-j,-r,-M,-E,--glob,--type,--max-count,--max-depth,--replace,--sort,--context,--color,--iglob:data --ignore-file:read --pre:script | visible --hidden -. -u -uu -uuu --unrestricted here
            ag ack | data read | -A,-B,-C,-m,-G,--ignore:data -f:read! | always here
            fd fdfind | data read | -e,-E,-t,-d,-c,-S,--extension,--exclude,--type,--max-depth:data -x,-X,--exec,--exec-batch:script | visible -H --hidden -u here
            cp gcp | read target | -t,--target-directory:target -S,--suffix:data | -r -R -a -d --recursive --archive
            mv gmv | erase target | -t,--target-directory:target -S,--suffix:data | always
            ln gln | change target | -t,--target-directory:target -S:data | always
            install | read target | -t,--target-directory:target -m,-o,-g,-S,--mode,--owner,--group:data |
            rsync | read target | -e,--rsh:script --exclude,--include,-f,--filter,--chmod,--bwlimit:data --exclude-from,--include-from,--files-from:read --backup-dir,--log-file:write | always
            scp | read target | -i,-F:read -P,-o,-l,-c:data | -r
            rm grm | erase | | -r -R --recursive
            rmdir unlink | erase | |
            trash trash-put gio | erase | | always
            shred | change | -n,-s:data |
            mkdir mkfifo mknod | append | -m,--mode:data |
            touch | append | -r,--reference:read -d,-t,--date:data |
            truncate | write | -s,--size:data -r,--reference:read |
            chmod chown chgrp chattr chflags setfacl xattr | data append | --reference:read! -m,-x:data | -R --recursive
            split csplit | read write | -l,-b,-n,-a,-C,--lines,--bytes,--number,-f,--additional-suffix:data --filter:script |
            gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress | change | -S,-T:data -o:write | -r
            zip | write read | -x,-i:data | -r
            unzip | read data | -d:append -x:data |
            7z 7za ar cpio jar | change | | always
            jq gojq | goal read | -f,--from-file:read! --arg,--argjson,--indent,--tab:data --slurpfile,--rawfile,--argfile:data -L:read |
            yq | data change | -o,-p:data |
            xmllint iconv | read | -f,-t,--xpath,--encode:data -o,--output:write |
            open xdg-open start | read | -a:data |
            vi vim nvim nano emacs pico code ed ex | change | -c:script |
            curl | url | -d,--data,--data-binary,--data-raw,--data-urlencode,--json,-F,--form,-H,--header:at_file -o,--output,-D,--dump-header,-c,--cookie-jar:write -T,--upload-file,-K,--config,-E,--cert,--key,--cacert,-b:read -X,-u,-A,-e,-m,-w,-x,--request,--user,--retry,--max-time,--connect-timeout:data --url:url |
            wget | url | -O,--output-document,-o,-a:write -P,--directory-prefix:append -i,--input-file,--post-file,--body-file:read --header,-U,-t,-T,--tries,--timeout:data |
            gh glab hub | data | -F,--field,--body-file:at_file --input:read -b,--body,-t,--title,-R,--repo,-q,--jq,-H,-X,-f:data |
            mvn mvnw gradle gradlew make gmake ninja npm npx yarn pnpm bun cargo rustc go dotnet bazel sbt lein mix | goal | -f,-p,--file,--pom,-C,--directory,-m:goal |
            pytest tox nox ctest rake bundle composer poetry uv pip pip3 pipenv conda brew apt apt-get dnf | goal | |
            systemctl service journalctl launchctl crontab ip ifconfig netstat ss lsof | goal | |
            rsm | goal | --body-file,--envelope,--attach:read |
            """;

    private ProgramTable() {}

    static @Nullable ProgramRule find(String program) {
        for (String row : (Iterable<String>) ROWS.lines()::iterator) {
            int bar = row.indexOf('|');
            if (Arrays.asList(row.substring(0, bar).strip().split(" ", -1)).contains(program)) {
                String[] columns = row.split("\\|", -1);
                return ProgramRule.parse(columns[1], columns[2], columns[3]);
            }
        }
        return null;
    }
}
