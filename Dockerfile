# The broker in a container: docs/guides/operations.md#in-a-container.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run release

FROM node:26.10.0-bookworm-slim
COPY --from=build /source/dist/release/muster-*.tgz /tmp/muster.tgz
RUN npm install --global --omit=optional --offline --no-audit --no-fund /tmp/muster.tgz \
  && rm -r /tmp/muster.tgz /root/.npm \
  && install -d -o 10001 -g 10001 -m 0700 /data /data/files
# SQLITE_TMPDIR: the root file system may be read-only, also without a /tmp of its own.
ENV HOME=/data XDG_CACHE_HOME=/tmp SQLITE_TMPDIR=/data SVC_CONFIG_PATH=/data/svc.json SVC_DB_PATH=/data/main.db SVC_ACTIVITY_DB_PATH=/data/activity.db
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8717
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8717/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["muster"]
# Inside the container, the address is reachable for its own network only. A proxy adds TLS.
CMD ["serve", "--host", "0.0.0.0", "--insecure-http"]
