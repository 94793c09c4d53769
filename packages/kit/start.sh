#!/bin/sh
# Starts every process, in `npm start`, containers and Kubernetes: start.sh NODE FILE ...
# Its memory contains card numbers and passwords, so nothing may write that memory to a disk.

# No core file. Where the machine pipes it to a program whatever the limit, it is empty (core(5)).
ulimit -c 0
{ echo 0 > /proc/self/coredump_filter; } 2> /dev/null

# One pool of malloc instead of eight a core: memory that threads free returns to the machine (8 MB of the gateway's 156).
export MALLOC_ARENA_MAX=1

# libuv resolves host names on half of its threads, by default on two, and cannot cancel a lookup. Of the four here, three are for
# host names of third parties (LOOKUPS_AT_ONCE in src/http/shared-lookup.ts, with measurements), and one for PostgreSQL, RabbitMQ,
# Redis and services. Not more, because all threads also sign: with 48 an overloaded platform accepted 748 orders a second instead
# of 839, and its p99 was 352 ms instead of 269.
export UV_THREADPOOL_SIZE=8

# Node's compile cache: with it, a process starts in half the time and needs 25 MB less, because it does not load the
# compiler that strips the types.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-${0%/*}/../../node_modules/.cache/node}"

node=$1
shift
# SIGUSR1 would open a debugger. Without Object.prototype.__proto__ no key of a JSON body reaches a prototype.
# A young generation of 4 MiB and an old one of 256: resident 125 to 175 MB instead of 300 to 400 under load, and no
# more CPU. Live objects take 30 to 60 MB.
# The old one may grow by half between two full collections: by default V8 allows a small heap 4 MB, which two young
# generations fill. In one of two starts it then collected everything ten times a second (a menu took 0.5 ms, not 0.15).
# The first full collection is at 64 MB. A service starts with 30 to 40, and V8 would collect those two or three times: a sixth
# of the CPU of a start. Until the first collection, a process has 5 MB more.
exec "$node" --disable-sigusr1 --disable-proto=delete --max-semi-space-size=4 --max-old-space-size=256 \
  --heap-growing-percent=50 --initial-heap-size=64 "$@"
