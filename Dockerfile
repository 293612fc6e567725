# The tag follows Node's security fixes at each build. For a build that repeats to the byte, put a digest that you have checked
# behind it: `docker buildx imagetools inspect node:26-slim` shows the one of today.
FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
# The image has its own Node. No package that is left runs a script.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

COPY bin ./bin
COPY grafana ./grafana
COPY src ./src
# docker build --build-arg REVISION=$(git rev-parse HEAD) --build-arg SOURCE=<where its source is>: `muster --version`, /readyz and the
# metrics then name the commit.
ARG REVISION=""
ARG SOURCE=""
LABEL org.opencontainers.image.title="Muster" org.opencontainers.image.version="0.17.0" org.opencontainers.image.revision="$REVISION" org.opencontainers.image.source="$SOURCE"
# Node keeps compiled code in `compiled`, types already removed. Each user has their own there, so the one that Muster runs as fills it.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN echo "$REVISION" > revision && mkdir data compiled && chown node:node data compiled
USER node
# A start that waits for a Slack that is not there, until it is stopped. The next one compiles nothing, also where it may not write. The
# build ends here if Muster does not start.
RUN SLACK_BOT_TOKEN=xoxb-none SLACK_APP_TOKEN=xapp-none SLACK_API_URL=http://127.0.0.1:1/api/ DATABASE_URL=sqlite::memory: LOG_LEVEL=silent timeout 30 node bin/muster.js start || [ $? -eq 124 ]
VOLUME ["/app/data"]

EXPOSE 3000
# Muster ends within 10 seconds of it. Docker kills after 10, so give it 15: `docker stop --time 15`, `stop_grace_period: 15s`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=15s CMD ["bash", "bin/health.sh", "/healthz"]
CMD ["node", "bin/muster.js", "start"]
