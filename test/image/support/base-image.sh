#!/usr/bin/env bash
# Makes the image that docker/Dockerfile begins with, for machines that reach a Debian mirror and the npm registry but no registry of images:
#   base-image.sh ENGINE IMAGE          ENGINE is docker or podman, IMAGE is node:MAJOR-CODENAME-slim
# As root on Debian, with debootstrap. What it makes resembles the original as far as the Dockerfile uses it: Debian, Node, npm, the account node.
set -euo pipefail
engine=$1
image=$2
[[ $image =~ node:([0-9]+)-([a-z]+)-slim$ ]] || { echo "base-image.sh: $image is not node:MAJOR-CODENAME-slim" >&2; exit 2; }
major=${BASH_REMATCH[1]}
codename=${BASH_REMATCH[2]}
command -v debootstrap >/dev/null || { echo "base-image.sh: debootstrap is missing (apt-get install debootstrap)" >&2; exit 2; }

folder=$(mktemp -d /var/tmp/base-image.XXXXXX)
trap 'rm -rf "$folder"' EXIT
system=$folder/system

debootstrap --variant=minbase --no-check-gpg "$codename" "$system" >"$folder/log" || { tail "$folder/log" >&2; exit 1; }
rm -rf "$system"/var/cache/apt/archives/*.deb "$system"/var/lib/apt/lists/* "$system"/usr/share/{doc,man,locale}
chroot "$system" /usr/sbin/useradd --create-home --shell /bin/bash --uid 1000 node

npm install --prefix "$folder/tools" --no-audit --no-fund --silent "node@$major" npm@11
install -D "$(readlink -f "$folder/tools/node_modules/node/bin/node")" "$system/usr/local/bin/node"
mkdir -p "$system/usr/local/lib/node_modules"
cp -R "$folder/tools/node_modules/npm" "$system/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$system/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$system/usr/local/bin/npx"

# How this machine reaches the npm registry: its proxy's certificate, and npm's settings of this account.
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
  install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/ca-certificates.crt"
fi
if [ -f "$HOME/.npmrc" ]; then install -m 600 "$HOME/.npmrc" "$system/root/.npmrc"; fi

tar -C "$system" -c . | "$engine" import --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - "docker.io/library/$image" >/dev/null
