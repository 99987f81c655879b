#!/bin/sh
# Keeps a copy of the library in a folder: nightly-sync.sh FOLDER
# For a schedule of your CI with the two variables as secrets, or for cron:
#
#   17 3 * * *  PHOTO_SERVICE_URL=… PHOTO_SERVICE_TOKEN=… /path/to/nightly-sync.sh /srv/photos
#
# The key needs photos:read. PHS is the program: phs where it is installed, npx phs in a clone of the service.
# Only what changed since the night before is asked for and downloaded; a run that is cut off is gone on with the next time.
set -u
${PHS:-phs} sync "$1" --quiet
status=$?
case $status in
  0) echo "The copy in $1 is up to date." ;;
  1) echo "Some photos could not be downloaded; the next run tries them again." ;;
  3) echo "The key is refused: is it deleted or expired, or does it lack photos:read?" ;;
  *) echo "The service or this machine is in trouble; nothing is lost, the next run goes on." ;;
esac
exit $status
