#!/bin/sh
# Closes stdin without reading it and runs on for a moment, so that the writer gets EPIPE.
exec <&-
sleep 0.2
exit 4
