#!/usr/bin/env bash
# Shows that the two commands of README.md work on a machine that has nothing but Node and npm: `npm ci && npm start` and `npm ci && npm test`, of
# the commit that is checked out, in a Debian of minimal size (no git, no compiler, no curl), as root and as an ordinary user, each also with a
# home folder that cannot be written to. Takes about an hour on two processors.
#   bin/bare-machine.sh [FOLDER [root|user]…]     FOLDER: where the Debian is made, and kept for the next time; default: a temporary folder
# Needs root, and of Debian: debootstrap, bubblewrap, git and curl (for the lines that the first start prints, which run outside).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-}
[ -n "$folder" ] || { folder=$(mktemp -d); trap 'rm -rf --one-file-system "$folder"' EXIT; }
folder=$(realpath -m "$folder")
shift $(($# > 0 ? 1 : 0))
accounts=("$@")
[ $# -gt 0 ] || accounts=(root user)
failed=0

say() { printf '\n== %s\n' "$*"; }
check() { if "${@:2}"; then echo "   $1: yes"; else echo "   $1: NO"; failed=1; fi; }
contains_no_warning() { ! grep -i '^npm.* warn' "$1"; }

make_machine() {
  [ ! -e "$folder/usr/bin/npm" ] || return 0
  local mirror npm
  # Of the files that apt reads, some may be missing.
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    sed -nE 's/^(URIs:|deb (\[[^]]*\])?) *([^ ]+).*/\3/p' | grep -v security | head -1) || true
  debootstrap --variant=minbase --include=ca-certificates,libstdc++6,libatomic1 bookworm "$folder" "$mirror" >/dev/null
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  cp "$(readlink -f "$(command -v node)")" "$folder/usr/bin/node"
  mkdir -p "$folder/usr/lib/node_modules" "$folder/read-only-home"
  cp -a "$npm" "$folder/usr/lib/node_modules/npm"
  for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$folder/usr/bin/$name"; done
  cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
  cp /etc/resolv.conf /etc/hosts "$folder/etc/"
  chroot "$folder" useradd --create-home user
}

home_of() { [ "$1" = root ] && echo /root || echo "/home/$1"; }

# Runs a command line there: on_machine ACCOUNT HOME COMMAND
on_machine() {
  local app
  app=$(home_of "$1")/app
  bwrap --bind "$folder" / --ro-bind "$folder/read-only-home" /read-only-home --dev-bind /dev /dev --proc /proc --ro-bind /sys /sys --tmpfs /dev/shm \
    --cap-add ALL --die-with-parent --clearenv --setenv HOME "$2" --setenv USER "$1" --setenv PATH /usr/bin:/bin:/usr/sbin:/sbin \
    --setenv NODE_EXTRA_CA_CERTS /etc/ssl/certs/ca-certificates.crt --chdir "$app" \
    setpriv --reuid="$1" --regid="$1" --init-groups bash -c "$3"
}

# What a clone has, for one account.
lay_out() {
  local home
  home=$folder$(home_of "$1")
  rm -rf "$home/app"
  mkdir -p "$home/app"
  git archive HEAD | tar -x -C "$home/app"
  npm config get registry | sed 's/^/registry=/' >"$home/.npmrc"
  chroot "$folder" chown -R "$1" "$(home_of "$1")"
}

# The first start, the lines that it prints, Ctrl-C, and a second start on the same data.
start_and_use() {
  local app log port started
  app=$folder$(home_of "$1")/app
  log=$folder/start.log
  port=$(node -p 's = require("node:net").createServer().listen(0); p = s.address().port; s.close(); p')
  rm -rf "$app/data"
  for time in first second; do
    on_machine "$1" "$2" "PORT=$port npm start" >"$log" 2>&1 &
    started=$!
    until curl -sf -o /dev/null "http://127.0.0.1:$port/readyz"; do
      kill -0 "$started" 2>/dev/null || { cat "$log"; check "$time start answers" false; return; }
      sleep 0.2
    done
    check "$time start answers" true
    [ "$time" = second ] || check 'the lines that it prints run, and the photo comes back identical' run_printed "$1" "$log"
    for pid in $(pgrep -f 'phs.js serve'); do [ ! "/proc/$pid/cwd" -ef "$app" ] || kill -INT "$pid"; done
    wait "$started" || true
  done
}

# The lines name files as they are in there.
run_printed() {
  local lines home
  home=$(home_of "$1")
  lines=$(grep -E '^ {2}(export|curl|cmp) ' "$2" | sed "s/^ *//; s#$home/app#$folder$home/app#g")
  [ "$(wc -l <<<"$lines")" -ge 5 ] && (cd "$folder$home/app" && bash -euo pipefail -c "$lines") | tail -1 | grep -q 'identical$'
}

make_machine
for account in "${accounts[@]}"; do
  home=$(home_of "$account")
  say "$account: npm ci"
  lay_out "$account"
  on_machine "$account" "$home" 'npx --yes npm@10.8.2 ci' >"$folder/ci.log" 2>&1 || { cat "$folder/ci.log"; exit 1; }
  check 'npm 10.8 prints no warning' contains_no_warning "$folder/ci.log"
  on_machine "$account" "$home" 'npm ci' >"$folder/ci.log" 2>&1 || { cat "$folder/ci.log"; exit 1; }
  check "npm $(npm --version) prints no warning" contains_no_warning "$folder/ci.log"
  for place in "$home" /read-only-home; do
    say "$account: npm start, HOME=$place"
    start_and_use "$account" "$place"
  done
  for place in "$home" /read-only-home; do
    say "$account: npm test, HOME=$place"
    on_machine "$account" "$place" 'npm test' >"$folder/test.log" 2>&1 || { failed=1; grep -E '^ *(●|FAIL) ' "$folder/test.log" | sort -u; }
    grep -E '^(Test Suites|Tests|Time):' "$folder/test.log" | sed 's/^/   /'
  done
done
exit $failed
