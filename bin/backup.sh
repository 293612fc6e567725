#!/bin/sh
# Copies the database of DATABASE_URL, SQLite or Postgres, into the folder $1, also while Muster runs, restores the copy in a temporary
# folder to try it, and then deletes copies that are older than $2 days. The deletion comes last: while copies fail, the old ones stay.
# deploy/ has a systemd timer and a CronJob that run it.
set -eu
folder=$(realpath "$1")
days=$2
cd "$(dirname "$0")/.."
copy="$folder/muster-$(date -u +%Y%m%dT%H%M%SZ).db"
tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT
node bin/muster.js backup --out "$copy"
node bin/muster.js restore "$copy" --database "sqlite:$tried/muster.db"
find "$folder" -maxdepth 1 -name 'muster-*.db' -mtime +"$days" -delete
