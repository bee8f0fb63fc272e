# syntax=docker/dockerfile:1
# The service with everything it can use on a processor: the native addon, the sandbox, CPython with NumPy and SciPy.
#
#   docker build -t extremum . && docker run -p 8080:8080 -v extremum:/data extremum
#
# The first start prints the first API key, once: docker logs CONTAINER

# The same Debian in both stages: the addon and the launcher are linked to its C library.
FROM node:20-bookworm-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ cmake make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Dependencies change seldom: their layer is kept while only sources do.
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json CMakeLists.txt binding.gyp ./
COPY scripts scripts
COPY native native
COPY src src
COPY dashboard dashboard
# The dashboard's gallery.
COPY examples examples
# A native part that cannot be built is left out with a notice; here that is a failure.
RUN node scripts/build.mjs \
 && test -s build/Release/extremum.node && test -s build/Release/extremum-launcher \
 && npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-numpy python3-scipy tini \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build/Release/extremum.node /app/build/Release/extremum-launcher build/Release/
COPY --from=build /app/dist dist
# Read where they lie.
COPY --from=build /app/src/backends/cpython/python src/backends/cpython/python
COPY --from=build /app/src/domains/ai-ml/datasets src/domains/ai-ml/datasets
COPY --from=build /app/native/cuda/strategies native/cuda/strategies
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data PYTHON=/usr/bin/python3
USER node
VOLUME /data
EXPOSE 8080
# Ready means: the store answers, and it does not stop. A first start may migrate a database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is no init: tini passes SIGTERM on and buries the processes of the sandbox. A stop takes less than 10 s, what docker waits by default.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--", "node", "dist/cli/main.js"]
CMD ["serve"]
