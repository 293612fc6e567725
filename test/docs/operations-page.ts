import { allVerbs } from '../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../src/bot/features.ts';
import { type Api, http, rpc } from '../../src/contract/contract.ts';
import type { Method } from '../../src/contract/define.ts';
import { toMarkdownTable, toPage } from './markdown.ts';

type OperationName = { [S in keyof Api & string]: `${S}.${keyof Api[S] & string}` }[keyof Api & string];

/**
 * The one way to each operation that help shows: a verb, or a verb and `button` with the label of the button below its answer. A sentence in
 * place of a verb says why nobody reaches it from Slack.
 */
const ways: Readonly<Record<OperationName, string>> = {
  'ActivityService.AddActivity': '/note add',
  'ActivityService.QueryActivity': '/incident timeline',
  'ActivityService.RemoveActivity': '/incident timeline, button Remove',
  'ActivityService.UpdateActivityBody': '/incident timeline, button Edit',
  'ActivityService.UpdateActivityEventTime': '/incident timeline, button Edit',
  'IncidentsService.AddLabel': '/incident edit',
  'IncidentsService.AssignRole': '/role assign',
  'IncidentsService.CreateIncident': '/incident declare',
  'IncidentsService.GetHomescreenVersion':
    'Muster itself asks for it every ten seconds, to bring what others change to Slack (`bot/sync/sync.ts`).',
  'IncidentsService.GetIncident': '/incident status',
  'IncidentsService.GetIncidentMembership': '/role list',
  'IncidentsService.GetIncidentVersion': 'Muster reads an incident that changed as a whole, which costs one call too.',
  'IncidentsService.QueryIncidentPreviews': '/incident list',
  'IncidentsService.QueryIncidents': 'It is deprecated: `QueryIncidentPreviews` takes its place.',
  'IncidentsService.RemoveLabel': '/incident edit',
  'IncidentsService.UnassignRole': '/role unassign',
  'IncidentsService.UpdateIncidentEventTime': '/incident edit',
  'IncidentsService.UpdateIncidentIsDrill': '/incident edit',
  'IncidentsService.UpdateSeverity': '/incident edit',
  'IncidentsService.UpdateStatus': '/incident resolve',
  'IncidentsService.UpdateTitle': '/incident edit',
  'RolesService.ArchiveRole': '/role manage, button Archive',
  'RolesService.CreateRole': '/role manage, button Create a role',
  'RolesService.DeleteRole': '/role manage, button Delete',
  'RolesService.GetRoles': '/role manage',
  'RolesService.UnarchiveRole': '/role manage, button Archive',
  'RolesService.UpdateRole': '/role manage, button Edit',
  'TasksService.AddTask': '/task add',
  'TasksService.DeleteTask': '/task delete',
  'TasksService.UpdateTaskStatus': '/task done',
  'TasksService.UpdateTaskText': '/task edit',
  'TasksService.UpdateTaskUser': '/task assign',
  'UsersService.GetUser': '`QueryUsers` has the same people.',
  'UsersService.QueryUsers': '/incident whoami',
  'ShortUrls.create': '/dash link',
  'ShortUrls.goto': '/dash link',
  'Dashboards.save': '/dash manage save',
  'Dashboards.get': '/dash manage',
  'Dashboards.delete': '/dash manage delete',
  'Dashboards.hardDelete': '/dash manage purge',
  'Dashboards.restore': '/dash manage restore',
  'Dashboards.home': '/dash manage home',
  'Dashboards.tags': '/dash manage tags',
  'Search.find': '/dash link',
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

/** The shown way to an operation in Markdown; a sentence where there is none. Throws where no feature has the verb or the button. */
export function wayWords(name: OperationName): string {
  const [way = '', label] = ways[name].split(', button ');
  if (!way.startsWith('/')) return ways[name];
  const [noun, first, word] = way.slice(1).split(' ');
  const verb = allVerbs(features).find(each => each.noun === noun && each.verb === first && !each.synonymOf);
  const isWord = word === undefined || verb?.words?.some(each => each.verb === word);
  const isLabel = label === undefined || features.some(each => each.buttons?.some(button => button.label === label));
  if (!verb || !isWord || !isLabel) throw new Error(`No feature has the way “${ways[name]}”`);
  return label === undefined ? `\`${way}\`` : `\`${way}\`, button **${label}**`;
}

/** docs/operations.md. */
export function writeOperations(): string {
  return toPage('the contract and the features of the bot', [
    '# Operations',
    'Every operation of the two APIs, and the way to it from Slack that help shows. [commands.md](commands.md) has every command and its other words.',
    toMarkdownTable(
      ['operation', 'what it does', 'from Slack'],
      allOperations().map(({ name, method }) => [`\`${name}\``, method.summary, wayWords(name)]),
    ),
  ]);
}
