package dev.pheromone.hooks;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/// What common programs do with their arguments, a row each: names, operands (the last role holds
/// for all that follow), options with a value (`!`: it takes the first operand's place), and when
/// the program goes through folders (`here`: through this one, if none is named; `names`: only for
/// the names in them).
final class ProgramTable {
    private static final String ROWS =
            """
            echo printf true false : pwd dirs whoami id groups uname hostname sleep seq yes kill | data | -v:data |
            pkill killall pgrep wait bg fg disown ps top uptime free df nproc arch tty clear | data | |
            history | append | -d:data -r,-n:read |
            type which whereis umask ulimit times expr cal tput stty printenv basename dirname getconf | data | |
            date | data | -d,--date,-s,--set:data -f,--file,-r,--reference:read |
            locale lscpu lsblk who w nslookup host ping reset help | data | |
            last lastb dmesg logger dig say | data | -f,-F,--file:read -t,-p,--tag,--priority:data |
            man info | goal | -P,--pager,-H:script -f,--file:goal -o,--output:write -M,-C,-S,-L,-k,-K:data |
            wc | read | --files0-from:list |
            less zless | read | -o,-O,--log-file,--LOG-FILE:write -k,-T,--lesskey-file,--lesskey-src,--lesskey-content,--tag-file:opaque -p,-P,-D,-j,-x,-y,-z,-b,-h,--pattern,--prompt:data |
            bat batcat | read | --pager:script |
            cat tac more most zmore zcat bzcat xzcat rev tsort nl fold fmt pr column expand unexpand | read | |
            head tail | read | -n,-c,--lines,--bytes:data |
            sort | read | --files0-from:list --compress-program:script -o,--output:write -T,-S,-k,-t,--key,--field-separator:data |
            shuf | read | -o,--output:write -n:number |
            uniq | read write | -f,-s,-w:number |
            cut | read | -d,-f,-c,-b,--delimiter,--fields,--characters,--bytes,--output-delimiter:data |
            paste | read | -d:data |
            join comm cmp | read | |
            sdiff | read | -o,--output:write -I:data | always
            diff colordiff | read | -U,-C:number -x,-I,--exclude,--label:data | always
            md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 stat | read | |
            file | read | -f,--files-from:list -m,--magic-file:read -F,-P,-e:data |
            xxd | read write | -c,-g,-l,-o,-s,-n,-R:data |
            strings od hexdump base64 base32 nm objdump readelf size ldd otool | read | |
            readlink realpath | read | |
            tee sponge | write | |
            ls dir vdir | read | | names -R --recursive here
            exa eza lsd | read | -L,--level,--depth:number | names -R -T --recurse --recursive --tree here
            tree | read | -L:number -P,-I:data -o:write | names visible -a here
            rg--files | read | -d,-j,--max-depth,--threads:number -g,-t,-T,-E,--glob,--iglob,--type,--type-not,--type-add,--sort,--sortr:data --ignore-file:read | names visible --hidden -. -u --unrestricted here
            du ncdu | read | --files0-from:list -d,--max-depth,--exclude,-t,--threshold:data | names always here
            grep egrep fgrep zgrep ggrep | data read | -e,--regexp:data! -f,--file:read! -m,-A,-B,-C,--max-count,--context,--after-context,--before-context:number -X,--group-separator,--include,--exclude,--exclude-dir,--label,-d,-D,--directories,--devices,--binary-files:data --exclude-from:read | -r -R --recursive --dereference-recursive here
            rg | data read | -e,--regexp:data! -f,--file:read! -A,-B,-C,-m,-j,-M,-d,--max-count,--max-depth,--max-columns,--threads,--context,--after-context,--before-context:number -g,-t,-T,-r,-E,--glob,--type,--type-not,--type-add,--type-clear,--replace,--sort,--sortr,--iglob,--color,--colors,--encoding,--engine,--max-filesize,--path-separator,--pre-glob,--context-separator,--field-context-separator,--field-match-separator,--dfa-size-limit,--regex-size-limit,--hyperlink-format,--generate:data --ignore-file:read --pre,--hostname-bin:opaque | visible --hidden -. -u -uu -uuu --unrestricted here
            ag ack | data read | -A,-B,-C,-m:number -G,--ignore:data -f:read! | always here
            fd fdfind | data read | -d,--max-depth:number -e,-E,-t,--extension,--exclude,--type:data -x,-X,--exec,--exec-batch:opaque | names visible -H --hidden -u here
            cp gcp | read target | -t,--target-directory:target -S,--suffix:data | -r -R -a -d --recursive --archive
            mv gmv | erase target | -t,--target-directory:target -S,--suffix:data | always
            ln gln | change target | -t,--target-directory:target -S:data | always
            install | change target | -t,--target-directory:target -m,-o,-g,-S,--mode,--owner,--group:data |
            rsync | read target | -e,--rsh,--rsync-path:script --exclude,--include,-f,--filter,--chmod,--bwlimit:data --exclude-from,--include-from:read --files-from:list --backup-dir,--log-file:write | always
            scp | read target | -S:script -i,-F:read -P,-o,-l,-c:data | -r
            rm grm | erase | | -r -R --recursive
            rmdir unlink rename prename | erase | |
            rimraf del-cli | erase | | always
            trash trash-put gio | erase | | always
            shred | change | -n,-s:data |
            mkdir mkfifo mknod | append | -m,--mode:data |
            touch | append | -r,--reference:read -d,-t,--date:data |
            truncate | write | -s,--size:data -r,--reference:read |
            chmod chown chgrp chattr chflags setfacl xattr | append | --reference:read | -R --recursive
            split | read write | -l,-b,-n,-a,-C,--lines,--bytes,--number,--additional-suffix:data --filter:opaque |
            csplit | change | -f,--prefix:write |
            gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress | change | -S:data -o:write | -r
            zip | write read | -TT,--unzip-command:script -b:data | -r
            7z 7za ar jar | change | | always
            cpio pax | change | -F,--file:write | always here
            jq gojq | goal read | -f,--from-file:read! --arg,--argjson,--slurpfile,--rawfile,--argfile:data -L:read |
            yq | goal change | |
            xmllint iconv | read | --xpath:data -o,--output:write |
            open xdg-open start | read | -a:data |
            emacs | change | -eval,--eval,-execute,--execute,-f,-funcall,--funcall,-l,-load,--load,--script,-script:opaque |
            vi vim nvim vimdiff gvim mvim rvim evim ex | change | -c,--cmd,-S:opaque -s,-u,-U,-i,-w,-W:change |
            view rview gview | read | -c,--cmd,-S:opaque -s,-u,-U,-i:read -w,-W:change |
            nano pico code ed | change | -c,--cmd,-S,--eval:opaque |
            curl | url | -d,--data,--data-ascii,--proxy-header,--data-binary,--data-raw,--data-urlencode,--json,-F,--form,-H,--header,-w,--write-out,--variable,--url-query:at_file --output-dir:target --trace,--trace-ascii,--stderr,--libcurl,--etag-save,--hsts,--alt-svc,-o,--output,-D,--dump-header,-c,--cookie-jar:write --netrc-file,--etag-compare,--proxy-cert,--proxy-key,--crlfile,--proxy-crlfile,--capath,--proxy-capath,--proxy-cacert,--pubkey,-T,--upload-file,-K,--config,-E,--cert,--key,--cacert,-b:read -X,-u,-A,-e,-m,-x,--request,--user,--user-agent,--referer,--retry,--max-time,--connect-timeout,--form-string,--oauth2-bearer:data --url:url |
            wget | url | -O,--output-document,-o,-a,--output-file,--append-output,--save-cookies,--rejected-log,--warc-file,--hsts-file:write -P,--directory-prefix:append -i,--input-file,--post-file,--body-file,--load-cookies,--private-key,--certificate,--ca-certificate,--ca-directory,--crl-file,--config:read -e,--execute:goal --use-askpass:opaque --header,-U,-t,-T,--tries,--timeout,--user-agent,--post-data,--body-data,--user,--password,--method:data |
            gh glab hub | goal | -f,-F,--field,--raw-field,--body-file,--notes-file,--input,--env-file:goal -b,--body,-t,--title,-R,--repo,-q,--jq,-H,-X,--method,--search,-S,--label,-l,--json,--assignee,-a,--milestone,-m,--message,--head,--base,-B,-n,--notes,--desc,--description,-c,--comment,-L,--limit,-s,--state,-A,--author,--reviewer,-r,--subject:data |
            mvn mvnw gradle gradlew make gmake ninja npm npx yarn pnpm cargo rustc go dotnet bazel sbt lein mix tsc jest vitest mocha cmake | goal | -f,-p,--file,--pom,-C,--directory,-m:goal -c,--call:script |
            bun | goal | -e,--eval,-p,--print:opaque |
            deno bunx pnpx | goal | |
            pytest tox nox ctest rake bundle composer poetry uv pip pip3 pipenv conda brew apt apt-get dnf | goal | |
            systemctl service journalctl launchctl crontab ip ifconfig netstat ss lsof | goal | |
            rsm | data | --body-file,--envelope,--attach,--rules,--content:read --exec:script |
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
