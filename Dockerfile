# The images of all processes. PACKAGE is the folder: services/orders, dev/processor.
#
# There is no build step, because Node strips the types when it reads the sources. An image has Node, the npm packages of the folder,
# sources, and Node's compile cache. Only the restaurant's console is built, for the browser.
# For a release with a digest (docs/assurance/security.md): --build-arg NODE=node:24.21.0-bookworm-slim@sha256:…
ARG NODE=node:24.21.0-bookworm-slim

# Manifests only, so that a change of sources does not repeat the installation of packages.
FROM ${NODE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
 && find . -type d -empty -delete

# Without optional packages: Node and PostgreSQL for machines without them.
FROM ${NODE} AS packages
ARG PACKAGE
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --workspace "$PACKAGE" --omit=dev --omit=optional --ignore-scripts
# The list of packages, for scanners of vulnerabilities: /app/sbom.cdx.json.
COPY dev/packages dev/packages
RUN node dev/packages/sbom.ts "$PACKAGE" > sbom.cdx.json && rm -r dev/packages

FROM ${NODE} AS process
ARG PACKAGE
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# An intruder finds no package manager. /var/lib/platter is for volumes, which inherit its owner.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn* \
 && find /usr/local/bin -xtype l -delete \
 && install --directory --owner=node --group=node /var/lib/platter
WORKDIR /app
COPY --from=packages /app ./
COPY packages packages
COPY ${PACKAGE} ${PACKAGE}
WORKDIR /app/${PACKAGE}
# Node's compile cache (see start.sh). Its keys contain the user and the flags. Root owns it, so that no process can change it. Node
# writes files that only their owner may read: without the last line, each start would compile all modules again.
RUN install --directory --owner=node /app/node_modules/.cache/node \
 && if [ -f src/wire.ts ]; then \
      su node --command "PORT=none /app/packages/kit/start.sh node /app/packages/kit/src/lifecycle/fill-compile-cache.ts src/main.ts"; fi \
 && chown -R root:root /app/node_modules/.cache \
 && chmod -R a+rX /app/node_modules/.cache
USER node
# The script becomes Node: SIGTERM reaches the service itself.
CMD ["/app/packages/kit/start.sh", "node", "src/main.ts"]

# The one-off jobs of docker-compose.yml, with PACKAGE=packages/kit.
FROM process AS jobs
WORKDIR /app
COPY dev dev

# The command-line tool, for docker-compose.backup.yml, with PACKAGE=apps/cli. A backup contains the migrations.
FROM process AS tool
WORKDIR /app
COPY services services

# The page that the gateway serves. With optional packages: Vite's compiler for this platform is one.
FROM ${NODE} AS console
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --workspace apps/console --ignore-scripts
COPY tsconfig.json ./
COPY apps apps
RUN npm run build --workspace apps/console

# With PACKAGE=services/gateway.
FROM process AS gateway
COPY --from=console /app/apps/console/dist /app/apps/console/dist
COPY docs/openapi.json /app/docs/openapi.json
