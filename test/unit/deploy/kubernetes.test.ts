import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settingNames, settingOf } from '../../../src/config/settings.ts';
import { onPostgres } from '../../docs/kubernetes-manifests.ts';
import { defaults, type Manifest, renderChart, toManifests, type Values } from '../../support/deploy/chart.ts';
import { filesBelow, read } from '../../support/docs/files.ts';

const Labels = z.record(z.string(), z.string());
const Container = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  livenessProbe: z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) }).optional(),
  readinessProbe: z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) }).optional(),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const Pod = z.object({
  metadata: z.object({ labels: Labels }),
  spec: z.looseObject({
    enableServiceLinks: z.boolean(),
    terminationGracePeriodSeconds: z.number().optional(),
    securityContext: z.unknown(),
    affinity: z.unknown().optional(),
    containers: z.array(Container).length(1),
    volumes: z.array(
      z.looseObject({ name: z.string(), persistentVolumeClaim: z.object({ claimName: z.string() }).optional() }),
    ),
  }),
});
const Deployment = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    strategy: z.unknown().optional(),
    selector: z.object({ matchLabels: Labels }),
    template: Pod,
  }),
});
const CronJob = z.looseObject({
  spec: z.looseObject({ jobTemplate: z.object({ spec: z.looseObject({ template: Pod }) }) }),
});

/** All objects of the chart with these values. */
function open(values: Values = {}) {
  const manifests = toManifests(renderChart(values));
  const find = (kind: string) => manifests.filter(each => each.kind === kind);
  const [deployment, cronJob] = [Deployment.parse(find('Deployment')[0]), CronJob.parse(find('CronJob')[0])];
  const toParts = (pod: z.infer<typeof Pod>) => {
    const [container] = pod.spec.containers;
    if (!container) throw new Error('The pod has no container.');
    return { pod, container };
  };
  return {
    manifests,
    find,
    deployment,
    muster: toParts(deployment.spec.template),
    backup: toParts(cronJob.spec.jobTemplate.spec.template),
  };
}

const shapes = [
  { name: 'SQLite', values: {}, ports: ['health', 'http'] },
  { name: 'Postgres', values: onPostgres, ports: ['health', 'http'] },
  {
    name: 'all that can be switched on',
    values: { ...onPostgres, serviceMonitor: true, pages: { host: 'pages.example.com' } },
    ports: ['health', 'http', 'pages'],
  },
];

describe.each(shapes)('the chart with $name', ({ values, ports: opened }) => {
  const { manifests, find, deployment, muster, backup } = open(values);

  test('names only settings that exist', () => {
    const known: readonly string[] = settingNames;
    const given = find('ConfigMap').flatMap(each => Object.keys((each as Manifest & { data: object }).data));
    const named = [...given, ...[muster, backup].flatMap(({ container }) => container.env.map(each => each.name))];
    expect(named).toContain('METRICS_PORT');
    expect(named.filter(name => !known.includes(name))).toEqual([]);
  });

  test('asks the paths of health at the port that METRICS_PORT sets, and lets requests in at the usual port', () => {
    const { container } = muster;
    const portOf = (name: string) => container.ports.find(each => each.name === name)?.containerPort;
    expect(String(portOf('http'))).toBe(settingOf('PORT').default);
    expect(String(portOf('health'))).toBe(container.env.find(each => each.name === 'METRICS_PORT')?.value);
    const served = [...read('src/operations/health.ts').matchAll(/app\.get\('([^']+)'/g)].map(match => match[1]);
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      expect(served).toContain(probe?.httpGet.path.split('?')[0]);
      expect(probe?.httpGet.port).toBe('health');
    }
    expect(container.livenessProbe?.httpGet.path, 'what waits for Slack is not killed').toBe('/healthz');
    expect(container.readinessProbe?.httpGet.path, 'trouble that Muster tells takes no traffic away').toBe(
      '/readyz?for=traffic',
    );
    expect(container.env.find(each => each.name === 'PORT')?.value).toBe(settingOf('PORT').default);
    const asked = JSON.stringify([find('Service'), find('NetworkPolicy'), find('ServiceMonitor'), find('Ingress')]);
    const ports = [...asked.matchAll(/"(?:port|targetPort|name)":"(http|health|pages)"/g)].map(match => match[1]);
    expect([...new Set(ports)].toSorted()).toEqual(opened);
    expect(asked).not.toMatch(/"(?:targetPort|port)":"(?!http|health|pages)/);
  });

  test('finds its pods, volumes and claims', () => {
    const { labels } = muster.pod.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(JSON.stringify(find('Service'))).toContain(`"selector":${JSON.stringify(labels)}`);
    expect(JSON.stringify(find('NetworkPolicy'))).toContain(
      JSON.stringify({ podSelector: { matchLabels: labels } }).slice(1, -1),
    );
    expect(backup.pod.metadata.labels, 'requests go to no backup').not.toEqual(labels);
    const claims = find('PersistentVolumeClaim').map(each => each.metadata.name);
    for (const { pod, container } of [muster, backup]) {
      expect(container.volumeMounts.map(each => each.name).toSorted()).toEqual(
        pod.spec.volumes.map(each => each.name).toSorted(),
      );
      for (const { persistentVolumeClaim } of pod.spec.volumes) {
        if (persistentVolumeClaim) expect(claims).toContain(persistentVolumeClaim.claimName);
      }
    }
    expect(new Set(manifests.map(each => `${each.kind} ${each.metadata.name}`)).size).toBe(manifests.length);
  });

  test('gives Muster few rights and the time to stop', () => {
    for (const { pod, container } of [muster, backup]) {
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    // Muster itself ends after ten.
    expect(muster.pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(10);
  });
});

test('with SQLite there is one process, and its backup stands where it can mount the same volume', () => {
  const { deployment, muster, backup, find } = open();
  expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  const databaseOf = ({ container }: typeof muster) => container.env.find(each => each.name === 'DATABASE_URL')?.value;
  const [, folder] = /^sqlite:(\/.+)\/[^/]+$/.exec(databaseOf(muster) ?? '') ?? [];
  expect(databaseOf(backup)).toBe(databaseOf(muster));
  for (const { container } of [muster, backup])
    expect(container.volumeMounts.map(each => each.mountPath)).toContain(folder);
  expect(JSON.stringify(backup.pod.spec.affinity)).toContain(JSON.stringify(muster.pod.metadata.labels));
  expect(backup.container.command).toEqual(['sh', 'bin/backup.sh', '/backup', '14']);
  expect(backup.container.image).toBe(muster.container.image);
  expect(find('Ingress')).toEqual([]);
});

test('with Postgres there are two processes, of which one stays, and the database is named by the Secret alone', () => {
  const { deployment, muster, backup, find } = open(onPostgres);
  expect(deployment.spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
  expect(open({ ...onPostgres, replicas: 3 }).deployment.spec.replicas).toBe(3);
  expect(open({ replicas: 3 }).deployment.spec.replicas, 'SQLite is for one').toBe(1);
  expect(find('PodDisruptionBudget')).toMatchObject([
    { spec: { maxUnavailable: 1, selector: { matchLabels: muster.pod.metadata.labels } } },
  ]);
  expect(muster.container.env.map(each => each.name)).not.toContain('DATABASE_URL');
  expect(muster.container).toMatchObject({
    envFrom: [{ configMapRef: { name: 'muster' } }, { secretRef: { name: 'muster' } }],
  });
  expect(backup.container.command).toEqual(['sh', 'bin/backup.sh', '/backup', '14']);
  expect(backup.container.image).toBe(muster.container.image);
  expect(backup.container.env).toMatchObject([
    { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'muster', key: 'DATABASE_URL' } } },
  ]);
});

test('from outside, what is signed or shows a token is reached and nothing else', () => {
  const routes = read('src/operations/routes.ts');
  const exact = [...routes.matchAll(/path === '([^']+)'/g)].map(([, path]) => `${path} Exact`);
  const begun = [...routes.matchAll(/path\.startsWith\('([^']+)\/'\)/g)].map(([, path]) => `${path} Prefix`);
  const [ingress] = open(onPostgres).find('Ingress');
  const paths = [...JSON.stringify(ingress).matchAll(/"path":"([^"]+)","pathType":"(\w+)"/g)];
  expect(paths.map(([, path, type]) => `${path} ${type}`).toSorted()).toEqual(
    [...new Set([...exact, ...begun])].toSorted(),
  );
  expect(begun).toHaveLength(2);
  expect(JSON.stringify(ingress)).toContain('"host":"muster.example.com"');
});

test('pages have a port and a host of their own, and nothing else is behind it', () => {
  const { muster, find } = open({ ...onPostgres, pages: { host: 'pages.example.com' } });
  const [, pages] = find('Ingress');
  expect(pages).toMatchObject({
    metadata: { name: 'muster-pages' },
    spec: {
      tls: [{ hosts: ['pages.example.com'], secretName: 'muster-tls' }],
      rules: [
        {
          host: 'pages.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'muster', port: { name: 'pages' } } } },
            ],
          },
        },
      ],
    },
  });
  const port = muster.container.ports.find(each => each.name === 'pages')?.containerPort;
  expect(muster.container.env).toContainEqual({ name: 'PAGES_PORT', value: String(port) });
  expect(JSON.stringify(open(onPostgres).manifests)).not.toContain('PAGES_PORT');
});

test('the Prometheus operator gives Muster the job that the alerts name', () => {
  const [monitor] = open({ serviceMonitor: true }).find('ServiceMonitor');
  const { jobLabel } = z.looseObject({ spec: z.looseObject({ jobLabel: z.string() }) }).parse(monitor).spec;
  const [service] = open().find('Service');
  const jobs = [...read('deploy/prometheus/alerts.yml').matchAll(/job="(\w+)"/g)].map(match => match[1]);
  expect([...new Set(jobs)]).toEqual([service?.metadata.labels[jobLabel]]);
});

test('the chart reads each of its values, and is that of this version', () => {
  const templates = filesBelow('deploy/chart/templates', /\.(yaml|tpl)$/)
    .map(read)
    .join('\n');
  const paths = Object.entries(defaults).flatMap(([name, value]) =>
    ['backup', 'pages'].includes(name) ? Object.keys(value as object).map(inner => `${name}.${inner}`) : [name],
  );
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter(path => !new RegExp(`\\.Values\\.${path}\\b`).test(templates))).toEqual([]);
  const { version } = JSON.parse(read('package.json'));
  expect(read('deploy/chart/Chart.yaml')).toContain(`appVersion: ${version}\n`);
  expect(defaults.image).toBe(`muster:${version}`);
});
