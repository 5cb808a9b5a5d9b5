#!/bin/sh
# On SIGINT ends its tool and cleans up, as an agent does; on SIGTERM ends at once.
setsid sleep 600 &
tool=$!
trap 'kill $tool; echo tidied >&2; exit 7' INT
echo $tool
wait
