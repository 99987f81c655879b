#!/bin/sh
# Prints the address of an image: sh sign.sh PHOTO OPTIONS [EXPIRES]
set -eu

image_url() {
  signed="/img/$DELIVERY_KEY/$1/$2${3:+?exp=$3}"
  signature=$(printf %s "$signed" | openssl dgst -sha256 -hmac "$DELIVERY_SECRET" -binary | openssl base64 -A | tr '+/' '-_' | tr -d =)
  case $signed in *'?'*) join='&' ;; *) join='?' ;; esac
  echo "$PHOTO_SERVICE_URL$signed${join}sig=$signature"
}

image_url "$1" "$2" "${3:-}"
