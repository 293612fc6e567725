import { readTable } from './table.ts';

/** Folders that many layers may import. */
const groups: Readonly<Record<string, string>> = {
  '(incident)': ['state', 'api', 'lines', 'board', 'acts', 'room', 'notes', 'catchup']
    .map(name => `bot/incident/${name}`)
    .join(', '),
  '(below incident)': 'contract, db, bot/schema, bot/text, bot/slack, bot/people, bot/journal',
  '(dispatch)': ['feature', 'forms', 'answers', 'command'].map(name => `bot/dispatch/${name}`).join(', '),
  '(below dispatch)':
    '(below incident), bot/grammar, bot/secrets, (incident), bot/alerts, bot/pager, bot/duties, bot/doctor',
};

const ungroup = (folders: string): string => folders.replaceAll(/\([a-z ]+\)/g, name => ungroup(groups[name] ?? name));

/** The tables of numbers that somebody may want to turn, and what every layer does with texts. They import nothing, and every layer may import them. */
export const tables: readonly string[] = [
  'deadlines.ts',
  'trim-end.ts',
  'normal-form.ts',
  'json-object.ts',
  'bot/keep-for.ts',
  'bot/slack/limits.ts',
];

/**
 * The layers of src/, by their paths below it, and those of playground/, by their paths below the repository: what each folder may import
 * besides itself, types included (docs/architecture.md, Layers). A folder that has entries for folders within it stands for its own files.
 * The architecture test and the lint rule both read this table; a name in brackets is one of {@link groups}.
 */
export const layers: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  readTable(
    'layer | folders',
    `
    contract
    config                          | contract
    db
    client                          | contract
    service/store                   | contract, db
    service/query                   | contract, db, service/store
    service/door                    | db, service/store
    service/call                    | contract, config, db, service/store, service/query, service/door
    service/dashboards              | contract, db, service/store, service/query, service/call
    service/incidents               | contract, db, service/store, service/query, service/call
    service/webhooks                | contract, db, service/store, service/query, service/call
    service/pages                   | contract, db, service/store, service/query, service/call, service/dashboards, service/incidents
    service/http                    | contract, db, service/store, service/call, service/dashboards, service/incidents, service/pages
    service                         | contract, db, service/store, service/call, service/dashboards, service/incidents, service/webhooks, service/http
    transfer                        | contract, db, client, service/store, service/call, service/dashboards, service/incidents
    conformance                     | contract, client
    bot/schema                      | db
    bot/text                        | contract
    bot/secrets
    bot/slack                       | contract, bot/text
    bot/grammar                     | bot/text
    bot/people                      | contract, config, db, bot/schema, bot/text, bot/slack, bot/grammar
    bot/journal                     | contract, db, bot/schema
    bot/incident/state              | (below incident), config
    bot/incident/api                | (below incident), bot/incident/state
    bot/incident/lines              | (below incident), bot/incident/state
    bot/incident/board              | (below incident), bot/incident/state, bot/incident/lines
    bot/incident/acts               | (below incident), bot/incident/state, bot/incident/lines, bot/incident/board
    bot/incident/room               | (below incident), bot/incident/state, bot/incident/api, bot/incident/lines, bot/incident/board, bot/incident/acts
    bot/incident/notes              | (below incident), bot/incident/state, bot/incident/acts
    bot/incident/catchup            | (below incident), bot/incident/state, bot/incident/lines, bot/incident/acts, bot/incident/notes
    bot/alerts/read                 | contract, config, bot/text, bot/incident/state
    bot/alerts                      | (below incident), (incident), config, bot/alerts/read
    bot/pager                       | (below incident), (incident), config, bot/alerts/read, bot/alerts
    bot/duties                      | (below incident), (incident)
    bot/sync                        | (below incident), (incident)
    bot/doctor                      | contract, db, bot/schema, bot/text, bot/slack, bot/journal
    bot/dispatch/feature            | (below dispatch), config
    bot/dispatch/forms              | (below dispatch), bot/dispatch/feature
    bot/dispatch/answers            | (below dispatch), bot/dispatch/feature, bot/dispatch/forms
    bot/dispatch/command            | (below dispatch), bot/dispatch/feature, bot/dispatch/forms, bot/dispatch/answers
    bot/dispatch/surfaces           | (below dispatch), (dispatch)
    bot/dispatch                    | (below dispatch), (dispatch), bot/dispatch/surfaces
    bot/inbox                       | (below incident), bot/incident/state, bot/dispatch/feature, bot/dispatch/forms, bot/dispatch/answers, bot/dispatch
    bot/features                    | (incident), (dispatch), contract, config, bot/text, bot/slack, bot/grammar, bot/people, bot/journal, bot/alerts, bot/pager, bot/duties, bot/doctor, bot/dispatch/surfaces
    bot                             | (below dispatch), (dispatch), config, bot/dispatch/surfaces, bot/dispatch, bot/inbox, bot/features, bot/sync, bot/alerts/read
    erase                           | contract, db, service/store, bot/schema, bot/incident/state, bot/incident/lines
    operations                      | contract, config, client, service, service/call, service/http, bot, bot/alerts, bot/pager, bot/doctor, bot/slack
    app.ts                          | db, client, service, service/call, service/http, bot, operations, config
    commands                        | contract, db, client, service, service/store, service/door, service/call, service/webhooks, service/http, transfer, erase, conformance, bot, bot/schema, bot/journal, bot/incident/state, operations, config, app.ts, bot/doctor
    main.ts                         | commands
    playground/fake-slack/protocol
    playground/fake-slack/block-kit | playground/fake-slack/protocol
    playground/fake-slack/workspace | playground/fake-slack/protocol, playground/fake-slack/block-kit
    playground/fake-slack/render    | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/workspace
    playground/fake-slack/to-app    | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/workspace, playground/fake-slack/render
    playground/fake-slack/web-api   | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/workspace, playground/fake-slack/render, playground/fake-slack/to-app
    playground/fake-slack/people    | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/workspace, playground/fake-slack/render, playground/fake-slack/to-app, playground/fake-slack/web-api
    playground/fake-slack           | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/workspace, playground/fake-slack/render, playground/fake-slack/to-app, playground/fake-slack/web-api, playground/fake-slack/people
    playground/workspace            | playground/fake-slack
    playground/page                 | playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/render, playground/workspace
    playground                      | contract, db, client, service, service/call, service/http, bot, bot/schema, bot/journal, bot/incident/state, bot/incident/lines, bot/dispatch/feature, bot/dispatch/surfaces, bot/grammar, playground/fake-slack, playground/fake-slack/protocol, playground/fake-slack/block-kit, playground/fake-slack/render, operations, config, app.ts, commands, main.ts, playground/workspace
`,
  ).map(({ layer, folders }) => [layer, ungroup(folders).split(', ').filter(Boolean)]),
);

/** A file as {@link layers} names it, by its path below the repository: without `src/`. */
export const toLayered = (path: string) => path.replace(/^src\//, '');

/** The layer of a file, as {@link toLayered} names it: the innermost folder that is one; undefined when it belongs to none. */
export function layerOf(path: string): string | undefined {
  const parts = path.split('/');
  const folders = parts.length === 1 ? [path] : parts.slice(0, -1).map((_part, at) => parts.slice(0, at + 1).join('/'));
  return folders.findLast(folder => folder in layers);
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
  const allowed = layers[layer] ?? [];
  const wall = {
    group: [
      ...closedTo(layer).map(folder => toPattern(layer, folder)),
      ...tables.map(table => `!**/${table.split('/').slice(-2).join('/')}`),
    ],
    message: `${layer} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')} (test/support/layers.ts).`,
  };
  const inner = innerOf(layer);
  return {
    includes: [
      layer.endsWith('.ts') ? pathOf(layer) : `${pathOf(layer)}/**`,
      ...inner.map(each => `!${pathOf(each)}/**`),
      ...doors.filter(door => layerOf(toLayered(door)) === layer).map(door => `!${door}`),
    ],
    linter: { rules: { style: { noRestrictedImports: toRule([behindDoors, wall]) } } },
  };
}

/** The layers within a layer's folder, without those within them. */
function innerOf(layer: string): readonly string[] {
  const within = Object.keys(layers).filter(each => each.startsWith(`${layer}/`));
  return within.filter(each => !within.some(other => each.startsWith(`${other}/`)));
}

/** The outermost folders with nothing in them that a layer may import, and which it does not stand in itself. */
function closedTo(layer: string): readonly string[] {
  const open = [layer, ...(layers[layer] ?? [])];
  // A folder that is no layer belongs to the one around it.
  const isOpen = (folder: string) =>
    open.some(each => each === folder || each.startsWith(`${folder}/`)) ||
    (!(folder in layers) && open.some(each => folder.startsWith(`${each}/`)));
  const folders = Object.keys(layers).flatMap(each => {
    const parts = each.split('/');
    return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
  });
  const closed = [...new Set(folders)].filter(folder => !isOpen(folder));
  return closed.filter(each => !closed.some(other => each.startsWith(`${other}/`)));
}

/** What the specifiers of imports from a folder look like in a layer's files: the two share the beginning of their paths. */
function toPattern(layer: string, folder: string): string {
  const [own, other] = [layer.split('/'), folder.split('/')];
  const common = other.findIndex((part, at) => part !== own[at]);
  const rest = other.slice(common).join('/');
  if (isInPlayground(layer) && !isInPlayground(folder)) return `**/src/${rest.endsWith('.ts') ? rest : `${rest}/**`}`;
  if (rest.endsWith('.ts')) return `**/../${rest}`;
  // The stand-in for Slack has a folder with the name of a folder next to it.
  const ups = isInPlayground(folder) && isInPlayground(layer) ? '../'.repeat(own.length - common) : '';
  return `**/${ups}${rest}/**`;
}

function isInPlayground(layer: string): boolean {
  return layer === 'playground' || layer.startsWith('playground/');
}

/** The path of a layer below the repository. */
function pathOf(layer: string): string {
  return isInPlayground(layer) ? layer : `src/${layer}`;
}

/** The files of `test/` that `bench/` may import. What `bench/` alone needs stands in `bench/`. */
export const benchSupports: readonly string[] = [
  'test/support/acknowledging-process.ts',
  'test/support/browser.ts',
  'test/support/databases/execute.ts',
  'test/support/databases/postgres-server.ts',
  'test/support/incident-body.ts',
  'test/support/quantile.ts',
  'test/support/signed-command.ts',
];

/** The one folder outside `bench/` whose files may import from it: unit tests of its parts. */
export const benchTests = 'test/unit/bench';

/** The lint rules around `bench/`. The layers keep `src/` from it. */
const benchOverrides: readonly object[] = [
  {
    includes: ['bench/**'],
    linter: {
      rules: {
        style: {
          noRestrictedImports: toRule([
            {
              group: ['**/test/**', ...benchSupports.map(path => `!**/${path}`)],
              message:
                'bench may import all of src and playground, and of test the files that test/support/layers.ts names.',
            },
          ]),
        },
      },
    },
  },
  {
    includes: ['test/**', `!${benchTests}/**`],
    linter: {
      rules: {
        style: {
          noRestrictedImports: toRule([
            {
              group: ['**/bench/**'],
              message: `Nothing but ${benchTests} may import from bench (test/support/layers.ts).`,
            },
          ]),
        },
      },
    },
  },
];

function toRule(patterns: readonly object[]): object {
  return { level: 'error', options: { patterns } };
}

/** The overrides of biome.json that hold the layers, and the walls around `bench/`. */
export function lintOverrides(): readonly object[] {
  return [...Object.keys(layers).map(toOverride), ...benchOverrides];
}
