#!/bin/sh
# Imports up to 20 files and waits until they are in the library: import.sh FILE…
# Needs curl. An import that fails half way can simply be run again: photos that are there already are not stored twice.
set -eu
api="$PHOTO_SERVICE_URL/api/v1"

call() { curl --silent --show-error --fail-with-body --retry 5 -H "Authorization: Bearer $PHOTO_SERVICE_TOKEN" "$@"; }
id_of() { sed -n 's/^{"id":\([0-9]*\),.*/\1/p'; }

import=$(call -X POST "$api/imports" | id_of)

# Each file becomes a part of one request.
for file in "$@"; do
  set -- "$@" -F "file=@$file"
  shift
done
call "$@" "$api/imports/$import/photos" >/dev/null

call -X POST -H 'Prefer: wait=15' "$api/imports/$import/finalize" >/dev/null
until call "$api/imports/$import" | grep -q '"status":"completed'; do sleep 2; done

call "$api/imports/$import?include=photos&photoStatus=failed"
