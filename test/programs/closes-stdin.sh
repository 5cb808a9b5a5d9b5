#!/bin/sh
# Closes stdin unread and goes on for a moment, so that a writer meets a broken pipe.
exec <&-
sleep 0.2
exit 4
