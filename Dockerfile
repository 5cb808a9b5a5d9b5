# syntax=docker/dockerfile:1
# docs/deployment.md describes how to build and run this image.

ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# The production dependencies, from the lock file.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /drover
COPY .npmrc package.json package-lock.json ./
COPY runtime/package.json runtime/
RUN npm ci --workspaces=false --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS build
WORKDIR /drover
COPY .npmrc package.json package-lock.json ./
COPY runtime/package.json runtime/
# The base image already has the Node that the workspace "runtime" would install.
RUN npm ci --workspaces=false --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN node scripts/build.ts

FROM ${NODE_IMAGE}
# tini adopts and reaps the processes that agents leave behind; agents and drover use git; bubblewrap and socat are the sandbox.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git socat tini \
  && rm -rf /var/lib/apt/lists/*
# Agents run as the same user as tini, whose environment may have keys. The kernel hides that of a program that they cannot read.
RUN chmod 0711 /usr/bin/tini
# npm packages, such as "@openai/codex@0.166.0"; none by default. Pass their keys to "docker run"; never build them in.
ARG AGENTS=""
RUN if [ -n "$AGENTS" ]; then npm install --global --no-audit --no-fund $AGENTS && npm cache clean --force; fi
WORKDIR /opt/drover
COPY --from=dependencies /drover/node_modules node_modules
COPY CHANGELOG.md LICENSE README.md package.json ./
COPY bin bin
COPY schema schema
COPY --from=build /drover/dist dist
RUN ln -s /opt/drover/bin/drover.cjs /usr/local/bin/drover \
  && install --directory --owner=1000 --group=1000 --mode=0700 /var/lib/drover \
  && install --directory --owner=1000 --group=1000 /workspace
# The server listens on all addresses of the container, and does not start unless the file contains keys.
ENV DROVER_HOME=/var/lib/drover \
  DROVER_SERVER_HOST=0.0.0.0 \
  DROVER_SERVER_RATE_LIMIT_ENABLED=true \
  DROVER_SERVER_ALLOWED_WORKDIR_PREFIXES=/workspace \
  DROVER_API_KEYS_FILE=/run/secrets/drover-keys
USER 1000:1000
WORKDIR /workspace
VOLUME /var/lib/drover
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.DROVER_SERVER_PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "drover"]
CMD ["serve"]
