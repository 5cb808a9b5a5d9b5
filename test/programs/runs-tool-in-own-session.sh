#!/bin/sh
# Runs a tool in a session of its own and waits for it. Prints the tool's process number.
setsid sleep 600 &
echo $!
wait
