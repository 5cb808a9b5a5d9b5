#!/bin/sh
# Closes stdout long before it exits.
echo last words
exec >&-
sleep 0.2
exit 5
