import { read } from './files.ts';

/** docs/alerts.md. */
export const documentedAlerts = read('docs/alerts.md');

/** A fenced block of the document, by the heading above it. */
function blockOf(language: string, heading: string): string {
  const [, part = ''] = documentedAlerts.split(`\n### ${heading}\n`);
  const [section = ''] = part.split(/\n##+ /);
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1] ?? '';
}

const elsewhere = 'Anything else';

/** What docs/alerts.md has for each tool, as it stands there. */
export const alertSnippets = {
  /** The value of ALERTS for Prometheus and Grafana. */
  sources: /^ALERTS=(prometheus=.+)$/m.exec(documentedAlerts)?.[1] ?? '',
  alertmanager: blockOf('yaml', 'Prometheus Alertmanager'),
  grafana: blockOf('yaml', 'Grafana Alerting'),
  /** The file of ALERTS_SOURCES for anything else, the value of ALERTS, and the line that sends an alert. */
  file: blockOf('json', elsewhere),
  shell: /^ALERTS=(.+)$/m.exec(blockOf('ini', elsewhere))?.[1] ?? '',
  curl: blockOf('sh', elsewhere).trim(),
};

/** The body that the line sends. */
export const curlBody: Readonly<Record<string, unknown>> = JSON.parse(
  /-d '(.+?)'/.exec(alertSnippets.curl)?.[1] ?? '{}',
);
