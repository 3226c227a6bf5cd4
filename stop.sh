#!/usr/bin/env bash
# Ends the service that start.sh started: running requests are answered first. Good also when
# nothing runs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pid_file=${REX_RUN_DIR:-$here/run}/rexuninlu.pid
if [[ ! -s $pid_file ]]; then
  echo "not running"
  exit 0
fi
pid=$(cat "$pid_file")
if ! { [[ -r /proc/$pid/cmdline ]] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q 'rexuninlu.* serve'; }; then
  echo "not running"  # the number belongs to nobody, or to another program by now
  rm -f "$pid_file"
  exit 0
fi
kill -TERM "$pid"
for ((waited = 0; waited < ${STOP_TIMEOUT:-40} * 10; waited++)); do
  if ! kill -0 "$pid" 2>/dev/null || [[ $(awk '{print $3}' "/proc/$pid/stat" 2>/dev/null) == Z ]]; then
    rm -f "$pid_file"
    echo "stopped"
    exit 0
  fi
  sleep 0.1
done
echo "still running after ${STOP_TIMEOUT:-40} s; forced" >&2
kill -KILL "$pid" 2>/dev/null || true
rm -f "$pid_file"
