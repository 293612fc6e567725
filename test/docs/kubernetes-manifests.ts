import { renderChart, type Values } from '../support/deploy/chart.ts';

/** The values of deploy/kubernetes/postgres.yaml. */
export const onPostgres: Values = {
  postgres: true,
  host: 'muster.example.com',
  settings: { PUBLIC_URL: 'https://muster.example.com' },
};

const head = (what: string) => `# ${what}
# These are the objects of the chart in deploy/chart, for those who do without Helm; \`npm run docs\` writes them.
# They are checked as text, and no cluster has run them.
# Put your image, host and sizes in, then: kubectl apply -f <this file>
# After a change of the ConfigMap or the Secret: kubectl rollout restart deployment/muster
`;

/** deploy/kubernetes/sqlite.yaml. */
export function writeOnSqlite(): string {
  return `${head('Muster with SQLite in a volume, in Socket Mode: one process.')}${renderChart()}\n`;
}

/** deploy/kubernetes/postgres.yaml. */
export function writeOnPostgres(): string {
  return `${head('Muster on a Postgres, at muster.example.com: two processes.')}${renderChart(onPostgres)}\n`;
}
