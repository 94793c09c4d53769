#!/bin/sh
# Changes a running installation to the images of PLATTER_VERSION, one service after another: docs/operations.md, "Upgrade".
#   sh deploy/compose/upgrade.sh
# `docker compose up -d` would stop all services at once, and their restart would take up to a minute on a busy server.
# Each service starts beside the old one first: without the name that its callers use, until it is ready. It then responds while the
# old container is replaced. A service that does not become ready is removed, and the old one continues.
set -eu
cd "$(dirname "$0")/../.."

# A second run would stop the container that the first one starts beside a service, which may be the only one that responds. The lock
# is on the folder, because `git pull` replaces files. The kernel releases it, also after kill -9.
exec 9< .
if ! flock -n 9; then
  echo "Nothing was changed, because another run of this script is in progress: wait for its end" >&2
  exit 1
fi

# Includes a migration, and the start on a busy server.
READY_WITHIN_S=${READY_WITHIN_S:-300}
READY="fetch('http://127.0.0.1:8080/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"

# Waits until the service in a container is ready. Fails when the container ends, or after READY_WITHIN_S.
await_ready() {
  until=$(($(date +%s) + READY_WITHIN_S))
  until docker exec "$1" node -e "$READY" 2> /dev/null; do
    [ "$(docker inspect --format '{{.State.Running}}' "$1")" = true ] || return 1
    [ "$(date +%s)" -lt "$until" ] || return 1
    sleep 1
  done
}

# Gives a container the name of a service in each of its networks.
answer_to() {
  for network in $(docker inspect --format '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}' "$2"); do
    docker network disconnect "$network" "$2"
    docker network connect --alias "$1" "$network" "$2"
  done
}

# Replaces the old containers of a service. Fails when a new one is not ready.
replace() {
  docker compose up --detach --no-deps "$1" || return 1
  for container in $(docker compose ps --quiet "$1"); do
    await_ready "$container" || return 1
  done
}

# Stops and removes the container beside a service, and those that interrupted runs left. They would consume from RabbitMQ with old
# code and old secrets. Only for a service whose new version is ready in its place: one of them may be the only one that responds.
remove_beside() {
  project=$(docker inspect --format '{{index .Config.Labels "com.docker.compose.project"}}' "$2")
  beside=$(docker ps --all --quiet --filter label=com.docker.compose.oneoff=True \
    --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1")
  for container in $beside; do
    docker stop "$container" > /dev/null
    docker rm "$container" > /dev/null
  done
}

trial=
trap '[ -z "$trial" ] || docker rm --force "$trial" > /dev/null' EXIT
# HUP and PIPE: the SSH session ends. A shell that an untrapped signal ends does not run the trap of EXIT.
trap 'exit 130' HUP INT PIPE TERM

# Compose would build a missing image from the sources of this folder, and a rollback would start them under the older name.
missing=
for image in $(docker compose config --images prepare payments accounts catalog orders gateway); do
  docker image inspect "$image" > /dev/null 2>&1 || missing="$missing $image"
done
if [ -n "$missing" ]; then
  echo "Nothing was changed, because these images are missing:$missing" >&2
  echo "Run docker compose build in the sources of this version, or correct PLATTER_VERSION in .env" >&2
  exit 1
fi

echo "Updating roles and schemas"
if ! docker compose run --rm -T prepare; then
  echo "The job prepare failed, so nothing was changed: its reason is above, or in docker compose logs secrets" >&2
  exit 1
fi

# The rights of this version, with which a service declares a new queue. RabbitMQ elsewhere gets them from its operator.
if docker compose ps --services | grep -qx rabbitmq; then
  docker compose run --rm -T broker-users
  docker compose exec -T rabbitmq rabbitmqctl import_definitions /etc/platter/definitions.json
fi

changed=
# Callers after the services that they call; the gateway last.
for service in payments accounts catalog orders gateway; do
  echo "Starting the new $service beside the old one"
  trial=$(docker compose run --detach --no-deps "$service")
  if ! { await_ready "$trial" && answer_to "$service" "$trial" && await_ready "$trial"; }; then
    docker logs --tail 20 "$trial" >&2
    cat >&2 << EOF

The new $service did not become ready and was removed: the reason is in the lines above. The platform continues.
New version: ${changed:-none}. Old version: $service and all later services.
Correct the reason and run this script again, or roll back: docs/operations.md, "Upgrade that stops".
EOF
    exit 1
  fi
  echo "Replacing $service"
  # From here the old container may be gone, so nothing but its success removes the one beside it.
  beside=$trial
  trial=
  if ! replace "$service"; then
    echo "The new $service is not ready in the place of the old one: docker compose logs $service" >&2
    echo "Its first container $beside responds. Run this script again: it removes that container afterwards" >&2
    exit 1
  fi
  remove_beside "$service" "$beside"
  changed="${changed:+$changed }$service"
done

# Everything else that changed: servers, the daily backup, Caddy and its file.
docker compose up --detach --wait
docker compose exec -T caddy caddy reload --config /etc/caddy/Caddyfile
echo "Every service has the new version"
