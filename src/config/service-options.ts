import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { defaultOptions, type ServiceOptions, type Severity } from '../service/call/options.ts';

const Model = z.record(z.string(), z.unknown());
/** As dashboards and folders that people make have them (docs/api-rules.md C2, step 7). */
const folderUid = z.string().regex(/^[a-zA-Z0-9\-_]{1,40}$/, 'must be 1 to 40 letters, digits, - or _');

/** Everything that the file may say; what it leaves out is as decided in docs/api-rules.md, part D. */
const OptionsFile = z.strictObject({
  rolesNeedAdmin: z.boolean().optional(),
  enforceRoleBounds: z.boolean().optional(),
  assignCreatorAsObserver: z.boolean().optional(),
  systemTasks: z.boolean().optional(),
  trash: z
    .strictObject({
      enabled: z.boolean().default(defaultOptions.trash.enabled),
      days: z.number().positive().default(defaultOptions.trash.days),
    })
    .optional(),
  autoCreateFolders: z.boolean().optional(),
  minRefresh: z.string().refine(isInterval, 'must be an interval such as 5s or 1m').optional(),
  webhookLogDays: z.number().positive().optional(),
  home: z.string().min(1).optional(),
  folders: z.array(z.strictObject({ uid: folderUid, title: z.string().trim().min(1) })).optional(),
  pluginDashboards: z.array(z.strictObject({ pluginId: z.string(), pluginName: z.string(), model: Model })).optional(),
  provisionedDashboards: z.array(Model).optional(),
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
    .optional(),
});

/**
 * Reads the JSON file of SERVICE_OPTIONS: how the embedded service is to behave beyond the other settings. No file, no
 * difference. Throws with a sentence that names the file and every member that cannot be used.
 */
export async function readServiceOptions(file: string): Promise<Partial<ServiceOptions>> {
  if (file === '') return {};
  const parsed = await OptionsFile.safeParseAsync(await readJson(file));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(issue => `  ${[...issue.path, issue.message].join(': ')}`);
    throw new Error([`SERVICE_OPTIONS: ${file} cannot be used:`, ...problems].join('\n'));
  }
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}

/** How intervals are read is loaded only where a file has one. */
async function isInterval(text: string): Promise<boolean> {
  const { parseInterval } = await import('../service/dashboards/refresh.ts');
  return parseInterval(text) !== undefined;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new Error(`SERVICE_OPTIONS: ${file} cannot be used: ${why}.`, { cause: error });
  }
}

/** Severities as the service has them, from names that go from mild to grave: levels fall to 1, the first has none yet (A2). */
export function toSeverities(names: readonly string[]): readonly Severity[] {
  return names.map((label, index) => ({ label, level: index === 0 ? -1 : names.length - index }));
}
