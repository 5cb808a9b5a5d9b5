#!/bin/sh
# Runs a tool in its own session and waits for it. Prints the tool's process id.
setsid sleep 600 &
echo $!
wait
