#!/bin/sh
# On SIGTERM prints a line and runs on.
trap 'echo told' TERM
echo ready
while :; do sleep 0.05; done
