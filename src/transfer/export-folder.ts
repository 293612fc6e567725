import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseStorableJson } from '../service/store/storable-text.ts';
import {
  DashboardFile,
  ExportManifest,
  FolderRecord,
  filePath,
  formatVersion,
  IncidentFile,
  RoleRecord,
  type TransferSource,
  UserRecord,
} from './format.ts';

/** An export whose manifest has been read and whose files match it. */
export type ExportFolder = Awaited<ReturnType<typeof openExport>>;

/** Writes an export into a new or empty folder. Throws when the folder holds anything. */
export async function writeExport(
  folder: string,
  source: TransferSource,
  createdTime: string,
): Promise<ExportManifest> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`The folder ${folder} is not empty: name a new folder.`);
  const files: Record<string, string> = {};
  const taken = new Set<string>();
  const write = async (path: string, content: unknown) => {
    const text = `${JSON.stringify(content, null, 2)}\n`;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
    files[path] = digest(text);
  };
  const counts = { incidents: 0, timelineItems: 0, tasks: 0, roles: 0, users: 0, folders: 0, dashboards: 0 };
  for await (const incident of source.incidents()) {
    await write(toPath('incidents', incident.incidentID, taken), IncidentFile.parse(incident));
    counts.incidents += 1;
    counts.timelineItems += incident.timeline.length;
    counts.tasks += incident.tasks.length;
  }
  for await (const dashboard of source.dashboards()) {
    await write(toPath('dashboards', dashboard.uid, taken), DashboardFile.parse(dashboard));
    counts.dashboards += 1;
  }
  const lists = { roles: await source.roles(), folders: await source.folders(), users: await source.people() };
  await write('roles.json', z.array(RoleRecord).parse(lists.roles));
  await write('folders.json', z.array(FolderRecord).parse(lists.folders));
  await write('users.json', z.array(UserRecord).parse(lists.users));
  for (const name of ['roles', 'folders', 'users'] as const) counts[name] = lists[name].length;
  const manifest: ExportManifest = {
    format: 'muster-export',
    version: formatVersion,
    createdTime,
    source: source.address,
    counts,
    files,
  };
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(ExportManifest.parse(manifest), null, 2)}\n`);
  return manifest;
}

/** A path for an id. Paths differ also on file systems that ignore case. */
function toPath(kind: 'incidents' | 'dashboards', id: string, taken: Set<string>): string {
  const plain = `${kind}/${id}.json`;
  const hashed = `${kind}/${id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)}-${digest(id).slice(0, 12)}.json`;
  const path = filePath.test(plain) && !taken.has(plain.toLowerCase()) ? plain : hashed;
  taken.add(path.toLowerCase());
  return path;
}

/**
 * Opens an export and reads every file of it. Throws when a file is missing, was changed, is not in the manifest, or does not
 * follow the format.
 */
export async function openExport(folder: string) {
  const manifest = await readManifest(folder);
  const paths = Object.keys(manifest.files);
  await refuseStrangers(folder, new Set(paths));
  const incidents: { path: string; id: string }[] = [];
  const dashboards: string[] = [];
  for (const path of paths) {
    const value = await readChecked(folder, path, manifest);
    if (path.startsWith('incidents/')) {
      incidents.push({ path, id: check(IncidentFile, value, path).incidentID });
    } else if (path.startsWith('dashboards/')) {
      check(DashboardFile, value, path);
      dashboards.push(path);
    }
  }
  incidents.sort((one, other) => Number(one.id) - Number(other.id) || (one.id < other.id ? -1 : 1));
  const read = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> =>
    check(schema, await readChecked(folder, path, manifest), path);
  await Promise.all([read('roles.json', z.array(RoleRecord)), read('users.json', z.array(UserRecord))]);
  await read('folders.json', z.array(FolderRecord));
  return {
    manifest,
    incidentIDs: incidents.map(each => each.id),
    roles: () => read('roles.json', z.array(RoleRecord)),
    people: () => read('users.json', z.array(UserRecord)),
    folders: () => read('folders.json', z.array(FolderRecord)),
    /** In the order of their ids. */
    async *incidents() {
      for (const { path } of incidents) yield await read(path, IncidentFile);
    },
    async *dashboards() {
      for (const path of dashboards.toSorted()) yield await read(path, DashboardFile);
    },
  };
}

async function readManifest(folder: string): Promise<ExportManifest> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw new Error(`The export in ${folder} is incomplete: it has no manifest.json, which is written last.`, {
      cause,
    });
  });
  const value = toJson(text, 'manifest.json');
  const version = z.object({ version: z.number() }).safeParse(value).data?.version ?? formatVersion;
  if (version > formatVersion) {
    throw new Error(`The export is of format ${version}, and this Muster reads up to ${formatVersion}: update it.`);
  }
  return check(ExportManifest, value, 'manifest.json');
}

async function refuseStrangers(folder: string, known: ReadonlySet<string>): Promise<void> {
  for (const place of ['incidents', 'dashboards']) {
    const names = await readdir(join(folder, place)).catch(() => []);
    const stranger = names.find(name => !known.has(`${place}/${name}`));
    if (stranger) throw new Error(`${place}/${stranger} is not part of the export: its manifest does not list it.`);
  }
}

async function readChecked(folder: string, path: string, manifest: ExportManifest): Promise<unknown> {
  const expected = manifest.files[path];
  if (expected === undefined) throw new Error(`The export has no ${path}: its manifest does not list it.`);
  const text = await readFile(join(folder, path), 'utf8').catch((cause: unknown) => {
    throw new Error(`${path} is missing from the export.`, { cause });
  });
  if (digest(text) !== expected) {
    throw new Error(
      `${path} is not as it was exported: its checksum differs. Nothing more was imported; export again.`,
    );
  }
  return toJson(text, path);
}

function toJson(text: string, path: string): unknown {
  try {
    return parseStorableJson(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON.`, { cause });
  }
}

function check<S extends z.ZodType>(schema: S, value: unknown, path: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${path} does not follow the format: ${issue?.path.join('.')} ${issue?.message}.`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
