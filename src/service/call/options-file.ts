import { z } from 'zod';
import type { ServiceConfig } from '../../config/config.ts';
import { readJsonFile } from '../../config/json-file.ts';
import { parseInterval } from '../../contract/interval.ts';
import { defaultOptions, type ServiceOptions, type Severity } from './options.ts';

const model = z.record(z.string(), z.unknown());
/** As in dashboards and folders that people make (docs/api-rules.md C2, step 7). */
const folderUid = z.string().regex(/^[a-zA-Z0-9\-_]{1,40}$/, 'must be 1 to 40 letters, digits, - or _');
const { trash } = defaultOptions;

/**
 * The members of the file of SERVICE_OPTIONS, with what docs/settings.md says of them. A member that is left out is as decided
 * in docs/api-rules.md, part D.
 */
export const serviceOptionsFile = z.strictObject({
  rolesNeedAdmin: z.boolean().optional().describe('changing the list of roles takes the role Admin, not Editor'),
  enforceRoleBounds: z.boolean().optional().describe('there are always between 2 and 5 active roles'),
  assignCreatorAsObserver: z.boolean().optional().describe('the person who declares an incident becomes its observer'),
  systemTasks: z
    .boolean()
    .optional()
    .describe('incidents begin with tasks of the system, such as “Assign COMMANDER role”'),
  trash: z
    .strictObject({ enabled: z.boolean().default(trash.enabled), days: z.number().positive().default(trash.days) })
    .optional()
    .describe('`enabled`: deleted dashboards can be restored; `days`: for how long'),
  shortUrlDays: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'for how many days a short link is kept that nobody followed and no timeline names; `0`: it is always kept',
    ),
  autoCreateFolders: z
    .boolean()
    .optional()
    .describe('saving a dashboard into a folder that does not exist makes the folder'),
  minRefresh: z
    .string()
    .refine(text => parseInterval(text) !== undefined, 'must be an interval such as 5s or 1m')
    .optional()
    .describe('the shortest refresh interval of a dashboard'),
  webhookRetryHours: z
    .number()
    .positive()
    .optional()
    .describe('for how many hours a webhook is tried before it is given up'),
  webhookLogDays: z
    .number()
    .positive()
    .optional()
    .describe('for how many days the log of webhooks keeps what was delivered or given up'),
  home: z.string().min(1).optional().describe('the uid of the dashboard that is the home page'),
  folders: z
    .array(z.strictObject({ uid: folderUid, title: z.string().trim().min(1) }))
    .optional()
    .describe('folders that always exist: `uid` and `title` each'),
  pluginDashboards: z
    .array(z.strictObject({ pluginId: z.string(), pluginName: z.string(), model }))
    .optional()
    .describe('dashboards that belong to a plugin: `pluginId`, `pluginName` and `model` each'),
  provisionedDashboards: z.array(model).optional().describe('models of dashboards that nobody can change or delete'),
  users: z
    .array(
      z.strictObject({
        userID: z.string().min(1),
        name: z.string(),
        photoURL: z.string().optional(),
        email: z.string().optional(),
        slackUserID: z.string().optional(),
        slackTeamID: z.string().optional(),
      }),
    )
    .optional()
    .describe(
      'people who are known from the start: `userID` and `name` each, and `email`, `photoURL`, `slackUserID` and `slackTeamID` where they are known',
    ),
});

/**
 * Reads the JSON file of SERVICE_OPTIONS; `""` is no file, and changes nothing. Rejects with a sentence that names the file and
 * every member that cannot be used.
 */
export async function readServiceOptions(file: string): Promise<Partial<ServiceOptions>> {
  if (file === '') return {};
  const read = readJsonFile('SERVICE_OPTIONS', file);
  if ('problem' in read) throw new Error(read.problem, { cause: read.cause });
  const parsed = serviceOptionsFile.safeParse(read.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(issue => `  ${[...issue.path, issue.message].join(': ')}`);
    throw new Error([`SERVICE_OPTIONS: ${file} cannot be used:`, ...problems].join('\n'));
  }
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}

/** All options of the embedded service: those of the file of SERVICE_OPTIONS, and those that have a setting of their own. */
export async function toServiceOptions(config: ServiceConfig): Promise<Partial<ServiceOptions>> {
  return {
    ...(await readServiceOptions(config.serviceOptions)),
    severities: toSeverities(config.severities),
    rootUrl: config.publicUrl || `http://localhost:${config.port}`,
    pages: config.pages,
    incidentRetentionDays: config.incidentRetentionDays,
  };
}

/** The service's severities, from names that go from mild to grave: levels fall to 1, the first has none yet (docs/api-rules.md A2). */
export function toSeverities(names: readonly string[]): readonly Severity[] {
  return names.map((label, index) => ({ label, level: index === 0 ? -1 : names.length - index }));
}
