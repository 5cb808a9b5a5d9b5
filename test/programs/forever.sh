#!/bin/sh
# Prints its process id and waits.
echo $$
exec sleep 600
