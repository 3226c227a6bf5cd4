#!/usr/bin/env bash
# stop.sh, then start.sh with the arguments given here, or those of the last start.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arguments=("$@")
kept=${REX_RUN_DIR:-$here/run}/arguments
if [[ $# -eq 0 && -s $kept ]]; then
  mapfile -d '' -t arguments <"$kept"
  [[ ${#arguments[@]} -eq 1 && -z ${arguments[0]} ]] && arguments=()
fi
"$here/stop.sh"
exec "$here/start.sh" "${arguments[@]}"
