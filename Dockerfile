# The tag follows Node's security fixes at each build. For a build that repeats to the byte, put a digest that you have checked
# behind it: `docker buildx imagetools inspect node:26-slim` shows the one of today.
FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
# The picture library brings 56 MB of builds for browsers, themes and types that no server needs.
RUN npm ci --omit=dev && npm cache clean --force && rm -r node_modules/echarts/dist node_modules/echarts/i18n node_modules/echarts/theme node_modules/echarts/types

COPY bin ./bin
COPY grafana ./grafana
COPY src ./src
# Node keeps compiled code here, types already removed, so that the next start need not compile again.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN mkdir data compiled && chown node:node data compiled
USER node
VOLUME ["/app/data"]

EXPOSE 3000
# Muster ends within 10 seconds of it. Docker kills after 10, so give it 15: `docker stop --time 15`, `stop_grace_period: 15s`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=15s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT || 3000}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/muster.js", "start"]
