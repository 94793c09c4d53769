#!/bin/sh
# Changes a running installation to the images of PLATTER_VERSION, one service after another: docs/operations.md, "Upgrade".
#   sh deploy/compose/upgrade.sh
# `docker compose up -d` would stop all services at once, and their restart would take up to a minute on a busy server.
# It ends at the first service that does not become ready. The later ones then still run the other version, which works beside it.
set -eu
cd "$(dirname "$0")/../.."

# Roles and schemas, while everything runs.
docker compose run --rm -T prepare

# The rights of this version, with which a service declares a new queue. RabbitMQ elsewhere gets them from its operator.
if docker compose ps --services | grep -qx rabbitmq; then
  docker compose run --rm -T broker-users
  docker compose exec -T rabbitmq rabbitmqctl import_definitions /etc/platter/definitions.json
fi

# Callers after the services that they call; the gateway last.
for service in payments accounts catalog orders gateway; do
  echo "Changing $service"
  docker compose up -d --no-deps --wait "$service"
done

# Everything else that changed: Caddy, servers, the daily backup.
docker compose up -d --wait
