import { allVerbs, type Feature, menuEntries } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { http, rpc } from '../../src/contract/contract.ts';
import type { Method } from '../../src/contract/define.ts';
import { toMarkdownTable, toPage } from './markdown.ts';

type Operations = NonNullable<Feature['operations']>;
type OperationName = keyof Operations;
type Way = NonNullable<Operations[OperationName]>[number];

/** Operations that nobody reaches from Slack, and why. */
const reasons: Readonly<Partial<Record<OperationName, string>>> = {
  'IncidentsService.QueryIncidents': 'It is deprecated: `QueryIncidentPreviews` takes its place.',
  'IncidentsService.GetIncidentVersion': 'Muster reads an incident that changed as a whole, which costs one call too.',
  'IncidentsService.GetHomescreenVersion':
    'Muster itself asks for it every ten seconds, to bring what others change to Slack (`bot/sync/sync.ts`).',
  'UsersService.GetUser': '`QueryUsers` has the same people.',
};

/** All operations of the contract, in its order. */
export function allOperations(): readonly { readonly name: OperationName; readonly method: Method }[] {
  return [rpc, http].flatMap(contract =>
    Object.entries(contract).flatMap(([group, methods]) =>
      Object.entries(methods as Readonly<Record<string, Method>>).map(([method, shape]) => ({
        name: `${group}.${method}` as OperationName,
        method: shape,
      })),
    ),
  );
}

/** The ways to an operation, through all features; empty for none. */
export function waysTo(name: OperationName): readonly Way[] {
  return [...new Set(features.flatMap(feature => feature.operations?.[name] ?? []))];
}

/** Why nobody reaches an operation from Slack; `""` when somebody does. */
export function whyNotReached(name: OperationName): string {
  return reasons[name] ?? '';
}

/** The way as people see it; undefined when no feature has it. */
export function wayWords(way: Way): string | undefined {
  if (way.startsWith('/')) {
    return allVerbs(features).some(verb => `/${verb.noun} ${verb.verb}` === way) ? `\`${way}\`` : undefined;
  }
  const [kind = '', id = ''] = way.split(' ');
  if (kind === 'shortcut') {
    const shortcut = menuEntries(features).find(each => each.id === id);
    return shortcut && `entry **${shortcut.name}**`;
  }
  if (kind === 'button') {
    const button = features.flatMap(feature => feature.buttons ?? []).find(each => each.id === id);
    return button && `button **${button.label}**`;
  }
  const form = features.flatMap(feature => feature.modals ?? []).find(each => each.id === id);
  return form && `form \`${form.id}\``;
}

/** docs/operations.md. */
export function writeOperations(): string {
  return toPage('the contract and the features of the bot', [
    '# Operations',
    'Every operation of the two APIs, and how people reach it from Slack. [commands.md](commands.md) says what each command does.',
    toMarkdownTable(
      ['operation', 'what it does', 'from Slack'],
      allOperations().map(({ name, method }) => [
        `\`${name}\``,
        method.summary,
        waysTo(name)
          .map(way => wayWords(way) ?? way)
          .join(', ') || whyNotReached(name),
      ]),
    ),
  ]);
}
