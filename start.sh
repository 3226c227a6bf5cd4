#!/usr/bin/env bash
# Starts the service in the background and returns once it answers; arguments go to
# `rexuninlu serve`. Refuses a second start.
#   ./start.sh --port 8000
#   REX_CONFIG=my.yaml START_TIMEOUT=300 ./start.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${REX_PROGRAM:-}
if [[ -z $program ]]; then
  for candidate in "$here/build/release/bin/rexuninlu" "$here/bin/rexuninlu" "$(command -v rexuninlu || true)"; do
    [[ -x $candidate ]] && program=$candidate && break
  done
fi
[[ -n $program ]] || { echo "error: no program; run tools/build" >&2; exit 1; }
run_dir=${REX_RUN_DIR:-$here/run}
pid_file=$run_dir/rexuninlu.pid ready_file=$run_dir/rexuninlu.ready log=${REX_LOG:-$run_dir/rex-uninlu.log}
mkdir -p "$run_dir"

is_ours() { [[ -r /proc/$1/cmdline ]] && tr '\0' ' ' <"/proc/$1/cmdline" | grep -q 'rexuninlu.* serve'; }
if [[ -s $pid_file ]] && is_ours "$(cat "$pid_file")"; then
  echo "error: already running as process $(cat "$pid_file"); ./restart.sh starts it again" >&2
  exit 1
fi

arguments=(serve --ready-file "$ready_file")
config=${REX_CONFIG:-$here/config.yaml}
[[ -f $config ]] && arguments+=(--config "$config")
rm -f "$ready_file"
printf '%s\0' "$@" >"$run_dir/arguments"
nohup "$program" "${arguments[@]}" "$@" >>"$log" 2>&1 </dev/null &
pid=$!
echo "$pid" >"$pid_file"
for ((waited = 0; waited < ${START_TIMEOUT:-120} * 10; waited++)); do
  if [[ -s $ready_file ]]; then
    grep -E 'GPU optimization' "$log" | tail -1
    grep -oE 'address="[^"]*"' "$log" | tail -1
    exit 0
  fi
  if ! kill -0 "$pid" 2>/dev/null; then
    code=0
    wait "$pid" || code=$?
    rm -f "$pid_file"
    tail -3 "$log" >&2
    exit "$((code == 0 ? 1 : code))"
  fi
  sleep 0.1
done
echo "error: not ready after ${START_TIMEOUT:-120} s; see $log" >&2
kill "$pid" 2>/dev/null || true
rm -f "$pid_file"
exit 1
