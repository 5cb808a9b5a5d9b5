#!/bin/sh
# Runs a tool in its own session, with an empty environment, that ignores SIGTERM. Prints its process id.
env -i setsid sh -c 'trap "" TERM; echo $$; exec sleep 600' &
wait
