import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as prometheus from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { onPostgres } from '../docs/kubernetes-manifests.ts';
import { type Manifest, renderChart, toManifests, type Values } from '../support/deploy/chart.ts';
import { run } from '../support/deploy/tool.ts';
import { read, root } from '../support/docs/files.ts';
import { openFolder } from '../support/folder.ts';

/** The modules of kubernetes-models by the API version of their objects. They hold an object to the schema that Kubernetes publishes. */
const schemas: Readonly<Record<string, readonly [string, Readonly<Record<string, unknown>>]>> = {
  v1: ['kubernetes-models/v1', core],
  'apps/v1': ['kubernetes-models/apps/v1', apps],
  'batch/v1': ['kubernetes-models/batch/v1', batch],
  'networking.k8s.io/v1': ['kubernetes-models/networking.k8s.io/v1', networking],
  'policy/v1': ['kubernetes-models/policy/v1', policy],
  'monitoring.coreos.com/v1': ['@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', prometheus],
};

type Model = new (data: Manifest) => { validate(): void };

/** What Kubernetes would refuse an object for; empty when it takes it. */
function refusalOf(manifest: Manifest): string {
  const model = schemas[manifest.apiVersion]?.[1][manifest.kind];
  if (typeof model !== 'function') return `There is no ${manifest.kind} of ${manifest.apiVersion}.`;
  try {
    new (model as Model)(manifest).validate();
    return '';
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A values file as somebody writes it. Helm reads YAML 1.1, in which `off` is a switch. */
const written = (text: string): Values => parse(text, { version: '1.1' });

const hostile = written(`
  settings:
    ARCHIVE_AFTER_DAYS: 60
    DATABASE_POOL: 1000000
    PORT: 8080
    PAGES: off
    SEVERITIES: yes
    RATIO: 1.5
    CHANNEL_PREFIX: "on"
    PUBLIC_URL: https://muster.example.com:8443/a?b=c&d=e#f
    SEVERITY_MEANINGS: "minor: \\"slow\\", major: {{ .Values.secret }}\\nnext: line"
    EMPTY: ""
    NOTHING:
    TIMELINE_EMOJI: 'pushpin, *star, &anchor, !tag, %x, \`y\`, 📝, \\u0007, <b>'
    ANNOUNCE_CHANNEL: 0123
    INCIDENT_RETENTION_DAYS: 0x1F
    COMMANDER_ROLE: null word
    LOG_LEVEL: ~x
`);

const valueSets: readonly { readonly name: string; readonly values: Values; readonly release?: string }[] = [
  { name: 'nothing set', values: {} },
  { name: 'Postgres', values: onPostgres },
  {
    name: 'all that can be switched on',
    values: {
      ...{ ...onPostgres, serviceMonitor: true, replicas: 5, storageClass: 'fast' },
      pages: { host: 'pages.example.com', ingressAnnotations: { 'nginx.ingress.kubernetes.io/limit-rps': 5 } },
    },
  },
  { name: 'numbers, colons and switches as settings', values: hostile },
  { name: 'the same with Postgres', values: { ...hostile, ...onPostgres, settings: hostile.settings } },
  { name: 'no settings', values: written('settings:') },
  {
    name: 'a cluster with rules of its own',
    values: written(`
      postgres: true
      replicas: 1
      host: muster.example.com
      image: registry.example.com:5000/team/muster@sha256:0123456789abcdef
      imagePullSecrets: [{ name: registry }, { name: other }]
      ingressAnnotations:
        cert-manager.io/cluster-issuer: letsencrypt
        nginx.ingress.kubernetes.io/proxy-body-size: 10m
        nginx.ingress.kubernetes.io/ssl-redirect: true
        nginx.ingress.kubernetes.io/proxy-read-timeout: 60
      nodeSelector: { disk: ssd, spot: false, generation: 3 }
      tolerations:
        - { key: dedicated, operator: Equal, value: muster, effect: NoSchedule }
        - { key: spot, operator: Exists, effect: NoExecute, tolerationSeconds: 30 }
      resources: { limits: { cpu: 1, memory: 2Gi } }
    `),
  },
  {
    name: 'values that YAML reads as something else',
    values: written('{ secret: 007, host: "1e3", certificate: true, monitoringNamespace: 12, image: 26 }'),
  },
  {
    name: 'a backup of its own',
    values: { storageClass: '0', backup: { schedule: '*/5 * * * *', storage: '1Ti', days: 400 } },
  },
  { name: 'a release that YAML reads as a number', values: {}, release: '1e3' },
  {
    name: 'a release with the longest name that Helm takes',
    values: onPostgres,
    release: `${'r'.repeat(44)}-${'s'.repeat(8)}`,
  },
  { name: 'a release that YAML reads as a switch', values: { ...onPostgres, serviceMonitor: true }, release: 'on' },
];

describe.each(valueSets)('the chart with $name', ({ values, release }) => {
  const manifests = toManifests(renderChart(values, release));

  test('is what Kubernetes takes', () => {
    expect(manifests.map(refusalOf).filter(each => each !== '')).toEqual([]);
    expect(manifests.length).toBeGreaterThan(5);
    const longest = (kind: string) => (kind === 'CronJob' ? 52 : 63);
    expect(manifests.filter(({ kind, metadata }) => metadata.name.length > longest(kind))).toEqual([]);
  });

  test('gives each setting as it was written', () => {
    const config = manifests.find(each => each.kind === 'ConfigMap') as Manifest & { data: Record<string, string> };
    const settings = (values.settings ?? {}) as Record<string, unknown>;
    const given = Object.entries(settings).filter(([, value]) => value !== null);
    expect(config.data).toEqual(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
  });
});

test('the files for those who do without Helm are what Kubernetes takes', () => {
  for (const file of ['sqlite.yaml', 'postgres.yaml']) {
    const manifests = toManifests(read(`deploy/kubernetes/${file}`));
    expect(manifests.map(refusalOf).filter(each => each !== '')).toEqual([]);
  }
});

test('no object has a member that Kubernetes does not know', async () => {
  const manifests = [
    ...new Set(
      valueSets
        .flatMap(({ values, release }) => toManifests(renderChart(values, release)))
        .map(each => JSON.stringify(each)),
    ),
  ];
  const objects = manifests.map(each => {
    const { apiVersion, kind }: Manifest = JSON.parse(each);
    return `export const each: import('${schemas[apiVersion]?.[0]}').I${kind} = ${each};`;
  });
  const { code, text } = await compile(objects);
  expect(text).toBe('');
  expect(code).toBe(0);
  // The compiler looks at what is within too.
  const wrong = objects.map(each => each.replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"'));
  expect((await compile(wrong.filter(each => each.includes('FileSystem')).slice(0, 1))).text).toContain(
    'readOnlyRootFileSystem',
  );
});

/** Compiles objects with their types: the compiler knows each member of them. */
async function compile(objects: readonly string[]) {
  const folder = await openFolder();
  const modules = objects.map((each, at) =>
    each
      .replace('each', `object${at}`)
      .replace(/import\('([^']+)'\)/, (_, from) => `import('${join(root, 'node_modules', from)}/index.d.ts')`),
  );
  await writeFile(join(folder, 'objects.ts'), modules.join('\n'));
  return run(
    'tsc',
    [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
      join(folder, 'objects.ts'),
    ],
    root,
  );
}

test('two releases in a namespace share nothing', () => {
  const of = (release: string) => toManifests(renderChart({ ...onPostgres, serviceMonitor: true }, release));
  const named = (release: string) => of(release).map(each => `${each.kind} ${each.metadata.name}`);
  expect(named('one').filter(each => named('two').includes(each))).toEqual([]);
  // What finds pods finds those of its release.
  const selectors = (release: string) =>
    [...JSON.stringify(of(release)).matchAll(/"(?:matchLabels|selector)":(\{"app[^}]*\})/g)].map(
      match => match[1] ?? '',
    );
  expect(selectors('one').length).toBeGreaterThan(5);
  for (const each of selectors('one')) expect(each).toContain('"app.kubernetes.io/instance":"one"');
});

test('other settings are other pods, and the same settings are the same', () => {
  const sumOf = (settings: Values) => /checksum\/config: "(\w{64})"/.exec(renderChart({ settings }))?.[1];
  expect(sumOf({ A: '1', B: '2' })).toBe(sumOf({ B: '2', A: '1' }));
  expect(sumOf({ A: '1' })).not.toBe(sumOf({ A: '2' }));
  expect(sumOf({})).toBeDefined();
});

test('what Kubernetes refuses is found', () => {
  const bad = (text: string) => toManifests(text).map(refusalOf).join();
  expect(bad(stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { PORT: 1 } }))).toContain(
    'PORT',
  );
  expect(bad('{ apiVersion: v2, kind: ConfigMap, metadata: { name: x } }')).toContain('There is no');
});
