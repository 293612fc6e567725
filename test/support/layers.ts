/**
 * The layers of src/: what each folder may import besides itself, types included (docs/architecture.md, Layers). A folder that has
 * entries for folders within it stands for its own files. The architecture test and the lint rule both read this table.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  db: [],
  client: ['contract'],

  'service/store': ['contract', 'db'],
  'service/query': ['contract', 'db', 'service/store'],
  'service/call': ['contract', 'db', 'service/store', 'service/query'],
  'service/dashboards': ['contract', 'db', 'service/store', 'service/query', 'service/call'],
  'service/incidents': ['contract', 'db', 'service/store', 'service/query', 'service/call'],
  'service/webhooks': ['contract', 'db', 'service/store', 'service/query', 'service/call'],
  'service/pages': [
    'contract',
    'db',
    'service/store',
    'service/query',
    'service/call',
    'service/dashboards',
    'service/incidents',
  ],
  'service/http': [
    'contract',
    'db',
    'service/store',
    'service/call',
    'service/dashboards',
    'service/incidents',
    'service/pages',
  ],
  service: [
    'contract',
    'db',
    'service/store',
    'service/call',
    'service/dashboards',
    'service/incidents',
    'service/webhooks',
    'service/http',
  ],
  transfer: ['contract', 'db', 'client', 'service/store', 'service/call', 'service/dashboards', 'service/incidents'],
  conformance: ['contract', 'client'],

  'bot/schema': ['db'],
  'bot/text': ['contract'],
  'bot/secrets': [],
  'bot/slack': ['contract', 'bot/text'],
  'bot/grammar': ['bot/text'],
  'bot/people': ['contract', 'db', 'bot/schema', 'bot/text', 'bot/slack', 'bot/grammar'],
  'bot/journal': ['contract', 'db', 'bot/schema'],
  'bot/incident': ['contract', 'db', 'bot/schema', 'bot/text', 'bot/slack', 'bot/people', 'bot/journal'],
  'bot/sync': ['contract', 'db', 'bot/schema', 'bot/text', 'bot/slack', 'bot/people', 'bot/journal', 'bot/incident'],
  'bot/doctor': ['contract', 'db', 'bot/schema', 'bot/text', 'bot/slack', 'bot/journal'],
  'bot/dispatch': [
    'contract',
    'db',
    'bot/schema',
    'bot/text',
    'bot/slack',
    'bot/grammar',
    'bot/people',
    'bot/journal',
    'bot/incident',
    'bot/doctor',
    'bot/secrets',
  ],
  'bot/inbox': ['contract', 'db', 'bot/schema', 'bot/text', 'bot/slack', 'bot/people', 'bot/journal', 'bot/dispatch'],
  'bot/features': [
    'contract',
    'bot/text',
    'bot/slack',
    'bot/grammar',
    'bot/people',
    'bot/journal',
    'bot/incident',
    'bot/dispatch',
    'bot/doctor',
  ],
  bot: [
    'contract',
    'db',
    'bot/schema',
    'bot/text',
    'bot/slack',
    'bot/grammar',
    'bot/people',
    'bot/journal',
    'bot/incident',
    'bot/dispatch',
    'bot/inbox',
    'bot/features',
    'bot/doctor',
    'bot/sync',
  ],

  erase: ['db', 'service/store', 'bot/schema', 'bot/incident'],

  'fake-slack/protocol': [],
  'fake-slack/block-kit': ['fake-slack/protocol'],
  'fake-slack/workspace': ['fake-slack/protocol', 'fake-slack/block-kit'],
  'fake-slack/render': ['fake-slack/protocol', 'fake-slack/block-kit', 'fake-slack/workspace'],
  'fake-slack/to-app': ['fake-slack/protocol', 'fake-slack/block-kit', 'fake-slack/workspace', 'fake-slack/render'],
  'fake-slack/web-api': [
    'fake-slack/protocol',
    'fake-slack/block-kit',
    'fake-slack/workspace',
    'fake-slack/render',
    'fake-slack/to-app',
  ],
  'fake-slack/people': [
    'fake-slack/protocol',
    'fake-slack/block-kit',
    'fake-slack/workspace',
    'fake-slack/render',
    'fake-slack/to-app',
    'fake-slack/web-api',
  ],
  'fake-slack': [
    'fake-slack/protocol',
    'fake-slack/block-kit',
    'fake-slack/workspace',
    'fake-slack/render',
    'fake-slack/to-app',
    'fake-slack/web-api',
    'fake-slack/people',
  ],

  operations: ['contract', 'client', 'service', 'service/call', 'service/http', 'bot', 'bot/slack'],
  config: ['contract', 'service/call', 'bot/text', 'operations'],
  'app.ts': ['db', 'client', 'service', 'service/http', 'bot', 'operations', 'config'],
  'playground/workspace': ['fake-slack'],
  'playground/page': ['fake-slack/protocol', 'fake-slack/block-kit', 'fake-slack/render', 'playground/workspace'],
  playground: [
    'contract',
    'db',
    'client',
    'service',
    'service/call',
    'service/http',
    'bot',
    'bot/schema',
    'bot/journal',
    'bot/incident',
    'bot/dispatch',
    'bot/grammar',
    'fake-slack',
    'fake-slack/protocol',
    'fake-slack/block-kit',
    'fake-slack/render',
    'operations',
    'config',
    'app.ts',
    'playground/workspace',
  ],
  commands: [
    'contract',
    'db',
    'client',
    'service',
    'service/store',
    'service/call',
    'service/webhooks',
    'service/http',
    'transfer',
    'erase',
    'conformance',
    'bot',
    'bot/schema',
    'bot/journal',
    'bot/incident',
    'operations',
    'config',
    'app.ts',
    'playground',
    'bot/doctor',
  ],
  'main.ts': ['commands'],
};

/** The layer of a file, given by its path below src/; undefined when it belongs to none. */
export function layerOf(path: string): string | undefined {
  const parts = path.split('/');
  const folders = parts.length === 1 ? [path] : [parts.slice(0, 2).join('/'), parts[0] ?? ''];
  return folders.find(folder => folder in layers);
}

/** Packages that come in by one door each, and the files that are their doors. */
const doors = ['src/bot/slack/bolt.ts', 'src/client/transport.ts', 'src/db/sqlite.ts', 'src/db/postgres.ts'];
const behindDoors = {
  group: ['undici', 'pg', 'node:sqlite', 'sqlite', '@slack/web-api', '@slack/socket-mode'],
  message:
    'Each outside package has one door: undici in client/transport.ts, database drivers in db/, Slack in bot/slack/bolt.ts.',
};

/** The lint rule for one layer: the specifiers that its files must not import. */
function toOverride(layer: string): object {
  const [top = '', inner] = layer.split('/');
  const isFolder = !layer.endsWith('.ts');
  const within = Object.keys(layers).filter(each => each.startsWith(`${top}/`));
  const allowed = layers[layer] ?? [];
  const closed = Object.keys(layers)
    .filter(each => each !== layer && !allowed.includes(each))
    .map(each => each.split('/'))
    .filter(([otherTop, otherInner]) =>
      otherTop === top ? otherInner !== undefined : otherInner === undefined && !isOpen(otherTop ?? '', allowed),
    )
    .map(([otherTop, otherInner]) => (otherTop === top ? otherInner : otherTop))
    .map(name => (name?.endsWith('.ts') ? `**/../${name}` : `**/${name}/**`));
  const includes = inner || within.length === 0 ? `src/${layer}${isFolder ? '/**' : ''}` : `src/${top}/*.ts`;
  const wall = {
    group: closed,
    message: `${layer} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')} (test/support/layers.ts).`,
  };
  return {
    includes: [includes, ...doors.filter(door => door.startsWith(`src/${layer}/`)).map(door => `!${door}`)],
    linter: { rules: { style: { noRestrictedImports: toRule([behindDoors, wall]) } } },
  };
}

/** Whether any folder of `top` may be imported. */
function isOpen(top: string, allowed: readonly string[]): boolean {
  return allowed.some(each => each === top || each.startsWith(`${top}/`));
}

function toRule(patterns: readonly object[]): object {
  return { level: 'error', options: { patterns } };
}

/** The overrides of biome.json that hold the layers. */
export function lintOverrides(): readonly object[] {
  return Object.keys(layers).map(toOverride);
}
