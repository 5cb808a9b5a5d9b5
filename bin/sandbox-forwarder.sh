#!/bin/sh
# Does what sandbox-forwarder.cjs does, by socat, which starts in a tenth of the time. It knows only the port of the proxy.
# Arguments: socat, the socket, the port, a variable or nothing, the command. socat runs it again as "control".
if [ "$1" = control ]; then
  printf 'GET /started HTTP/1.1\r\nHost: drover\r\n\r\n'
  while read -r line; do
    case $line in
    'HTTP/1.1 200'*) echo started >&2 ;;
    SIGINT) kill -INT "$2" ;;
    SIGTERM) kill -TERM -1 ;;
    esac
  done
  exit
fi

socat=$1 socket=$2 port=$3 variable=$4
shift 4
pipe=/dev/shm/drover
mkfifo -m 600 "$pipe"
# Not children of the command, which may wait for all that it has. The proxy is asked through the port, so that it is open then.
(
  "$socat" -t 86400 "TCP-LISTEN:$port,bind=127.0.0.1,backlog=512,fork" "UNIX-CONNECT:$socket" 2> /dev/null < /dev/null &
  "$socat" "TCP:127.0.0.1:$port,retry=500,interval=0.01" "EXEC:/bin/sh $0 control $$" 2> "$pipe" < /dev/null > /dev/null &
)
if ! read -r answer < "$pipe" || [ "$answer" != started ]; then
  echo 'drover: the sandbox has no proxy' >&2
  exit 125
fi
[ -z "$variable" ] || export "$variable"
if ! command -v -- "$1" > /dev/null; then
  echo "drover: $1 cannot be started in the sandbox: ENOENT" >&2
  exit 127
fi
exec "$@"
