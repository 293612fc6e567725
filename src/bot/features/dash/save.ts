import { hash } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { DashboardModel, findExportProblem, preconditionReasons } from '../../../contract/dashboards.ts';
import type { RpcError } from '../../../contract/errors.ts';
import { parseExact, parseJson } from '../../../contract/exact-json.ts';
import { discardFace } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { type Button, defineButton, pressable, type Shortcut } from '../../dispatch/feature/feature.ts';
import { resumeButton } from '../../dispatch/feature/resume.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { defineIntent, type ReceiptContext, toOwner } from '../../incident/acts/intent-kind.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { toWebUrl } from '../../incident/state/settings.ts';
import { missingScope, slackReason } from '../../slack/clients.ts';
import type { FileProblem } from '../../slack/files.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { actions, code, confirmLoss, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { readSlackText, toOneLine } from '../../text/words.ts';
import { isUid } from './address.ts';
import { type Dashboard, getDashboard } from './find.ts';
import { toLabel } from './link-intent.ts';

/** A dashboard that a person gives, so that it is saved. */
interface GivenDashboard {
  /** Its model as JSON: the members, their order and their numbers as they were given. */
  readonly json: string;
  readonly title: string;
  /** `""` for none. */
  readonly uid: string;
  /** From around the model; `""`, `""` and false where the model is all. */
  readonly folderUid: string;
  readonly message: string;
  readonly overwrite: boolean;
}

/** The most bytes of a dashboard's JSON. */
const maxJson = 1_000_000;

type Members = Record<string, unknown>;

/** Reads a dashboard's model, alone or as `{dashboard, folderUid, message, overwrite}`. `problem` is plain text. */
export function readModel(text: string): GivenDashboard | { readonly problem: string } {
  const given = parse(text);
  if ('problem' in given) return given;
  const around = isMembers(given.value) ? given.value : {};
  const model = isMembers(around.dashboard) ? around.dashboard : around;
  const exported = findExportProblem(model);
  if (exported !== undefined) return { problem: exported };
  const title = typeof model.title === 'string' ? toOneLine(model.title) : '';
  if (title === '') {
    return {
      problem: 'That is not a dashboard: it has no “title”. Copy the whole JSON model, from its first { to its last }.',
    };
  }
  const isWrapped = model !== around;
  return {
    json: JSON.stringify(model),
    title,
    uid: typeof model.uid === 'string' ? model.uid.trim() : '',
    folderUid: isWrapped && typeof around.folderUid === 'string' ? around.folderUid.trim() : '',
    message: isWrapped && typeof around.message === 'string' ? around.message : '',
    overwrite: isWrapped && around.overwrite === true,
  };
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxJson)
    return { problem: `That JSON has ${bytes} bytes, and ${maxJson} are the most I take. Import it in the browser.` };
  try {
    // A file may begin with a byte order mark, which is no JSON.
    return { value: parseExact(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'That JSON nests too deeply for me. Import it in the browser.' };
    if (error instanceof SyntaxError) return { problem: `That is not JSON: “${error.message}”.` };
    throw error;
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The model as it is sent. The id is left to the API, since it counts in one installation only: that of another one would replace
 * a dashboard that has nothing to do with this one. A model without a uid gets one that follows from the intent, so that it is found
 * again when the answer is lost.
 */
function toSent(json: string, intent: string): Members & { readonly uid: string } {
  const model = parseExact(json) as Members;
  const uid = (typeof model.uid === 'string' && model.uid.trim()) || `m${hash('sha256', intent, 'hex').slice(0, 24)}`;
  return { ...model, ...('id' in model ? { id: null } : {}), uid };
}

/** Members that the API sets itself: they do not tell whether two models are the same. */
const setByApi = ['id', 'uid', 'version', 'refresh', 'title'];

function isSameModel(stored: Readonly<Members>, json: string): boolean {
  const sorted = (_key: string, each: unknown) =>
    isMembers(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each;
  const plain = (model: Readonly<Members>) => {
    const own = Object.entries(model).filter(([name]) => !setByApi.includes(name));
    return JSON.stringify(Object.fromEntries(own), sorted);
  };
  return plain(DashboardModel.parse(stored)) === plain(DashboardModel.parse(parseJson(json)));
}

type Change = (text: string) => string;

/**
 * The model with each of its texts as `change` makes it. The JSON keeps its members, their order and its numbers, so it stays a
 * dashboard. A model without a change stays as it was given.
 */
function mapModelTexts(json: string, change: Change): string {
  let isChanged = false;
  const noting: Change = text => {
    const changed = change(text);
    isChanged ||= changed !== text;
    return changed;
  };
  const mapped = JSON.stringify(mapValue(parseExact(json), '', noting));
  return isChanged ? mapped : json;
}

/** A value of JSON with its texts changed. Numbers that are kept as text have no members of their own (`exact-json.ts`). */
function mapValue(value: unknown, name: string, change: Change): unknown {
  if (typeof value === 'string') {
    // A text together with its name, which tells a password from a word.
    const begin = name === '' ? '' : `${name}: `;
    const changed = change(begin + value);
    return changed.startsWith(begin) ? changed.slice(begin.length) : change(value);
  }
  if (Array.isArray(value)) return value.map(each => mapValue(each, '', change));
  if (!isMembers(value) || (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapValue(each, key, change)]));
}

/** The queue of changes of dashboards: they belong to no incident. */
export const dashboardLane = () => 'dashboards';

const Save = z.object({
  /** Its model as JSON, as it was given. */
  json: z.string(),
  title: z.string(),
  /** `""`: a new one. */
  uid: z.string(),
  /** `""`: where it is, or the root level for a new one. */
  folderUid: z.string(),
  /** For the version history. */
  message: z.string(),
  overwrite: z.boolean(),
});
type Save = z.output<typeof Save>;

/** Creates a dashboard, or saves its next version. */
export const saveDashboard = defineIntent({
  kind: 'dash.save',
  lane: dashboardLane,
  payload: Save,
  /** `url` is `""` where it opens nowhere. */
  result: z.object({ uid: z.string(), version: z.number(), url: z.string(), folder: z.string() }),
  run: async ({ api, call, id, deps }, { json, folderUid, message, overwrite }) => {
    const dashboard = toSent(json, id);
    // A save that names no folder moves the dashboard to the root level (docs/short-url-api.md).
    const folder = folderUid || (await getDashboard(api, dashboard.uid, call))?.meta.folderUid || '';
    const saved = await api.Dashboards.save({ dashboard, folderUid: folder, message, overwrite }, call);
    return { uid: saved.uid, version: saved.version, url: toWebUrl(deps.settings, saved.url), folder };
  },
  reconcile: async ({ api, call, id, deps }, { json }) => {
    const { uid, version } = toSent(json, id);
    const found = await getDashboard(api, uid, call);
    if (!found || found.dashboard.version === version || !isSameModel(found.dashboard, json)) return undefined;
    const url = toWebUrl(deps.settings, found.meta.url);
    return { uid, version: found.dashboard.version, url, folder: found.meta.folderUid };
  },
  did: ({ title }, { result }) => {
    if (!result) return { verb: 'save', what: `the dashboard “${toMrkdwn(title, 150)}”`, room: [] };
    const { uid, version, url, folder } = result;
    const name = url ? `<${url}|${toLabel(title)}>` : `*${toMrkdwn(title, 150)}*`;
    const place = folder ? ` in the folder \`${toMrkdwn(folder, 60)}\`` : '';
    return {
      ...{ sign: signs.dashboard, verb: 'save', what: `the dashboard ${name}${place}, as version ${version}` },
      ...{ more: `\`/dash link ${uid}\` links it.`, room: [] },
    };
  },
  mapTexts: (save, change) => ({
    ...save,
    json: mapModelTexts(save.json, change),
    title: change(save.title),
    message: change(save.message),
  }),
  choices: saveChoices,
});

/** The most characters of a message for the version history (docs/api-rules.md C2). */
const maxMessage = 500;
/** The most characters of a title (docs/api-rules.md C2). */
const maxTitle = 5000;

function folderField(filled: Filled) {
  const hint = 'Empty: an existing dashboard stays where it is, and a new one goes to the root level.';
  return textField({ id: 'folder', label: 'Folder (its uid)', hint, optional: true }, filled);
}

/** Why a text is no uid of a folder; undefined when it is one, or empty. */
export function findFolderProblem(uid: string): string | undefined {
  if (uid === '' || isUid(uid)) return undefined;
  return 'A folder’s uid has at most 40 letters, digits, hyphens and underscores. It is in the folder’s address: /dashboards/f/<uid>/….';
}

/**
 * The form that saves a dashboard, from JSON that is pasted into it or that a message has. Its state: the draft that holds that message,
 * and what it is called; both `""` where the JSON is pasted.
 */
export const saveForm = defineModal({
  id: 'dash.save',
  state: z.object({ draft: z.string(), source: z.string() }),
  view: ({ draft, source }, filled) => ({
    title: 'Save a dashboard',
    submit: 'Save',
    blocks: [
      draft === ''
        ? textField(
            {
              id: 'json',
              label: 'JSON of the dashboard',
              hint: `Slack takes ${slackLimits.inputText} characters here. Post a longer one as a .json file, and use “Save as dashboard” on that message.`,
              multiline: true,
              placeholder: '{ "title": "Checkout", "panels": [ … ] }',
            },
            filled,
          )
        : section(`${signs.dashboard} ${toMrkdwn(source, 150)}`),
      folderField(filled),
      textField(
        { id: 'message', label: 'What changed?', hint: 'The version history keeps it.', optional: true },
        filled,
      ),
    ],
  }),
  check: (filled, { draft }) => {
    const given = draft === '' ? readModel(fieldValue(filled, 'json')) : undefined;
    const [folderUid, message] = [fieldValue(filled, 'folder').trim(), fieldValue(filled, 'message').trim()];
    const folder = findFolderProblem(folderUid);
    const problems = {
      ...(given && 'problem' in given ? { json: given.problem.slice(0, 1000) } : {}),
      ...(folder ? { folder } : {}),
      ...(message.length > maxMessage ? { message: `It has at most ${maxMessage} characters.` } : {}),
    };
    if (Object.keys(problems).length > 0 || (given && 'problem' in given)) return { problems };
    return { value: { given, folderUid, message } };
  },
  submit: async (ctx, { given, folderUid, message }, { draft }) => {
    const model = given ?? (await readPosted(ctx, draft));
    if (!model) return;
    const place = { folderUid: folderUid || model.folderUid, message: message || model.message };
    await ctx.carryOut(saveDashboard, { ...model, ...place });
  },
});

/** Saves the dashboard in a message. */
export const saveMessage: Shortcut = {
  kind: 'message',
  isGone: true,
  id: 'save_dashboard',
  name: 'Save as dashboard',
  description: 'Save the JSON in this message, or in its file, as a dashboard',
  run: async (ctx, message) => {
    const posted = findPosted(message);
    if ('problem' in posted) {
      await ctx.answer({ text: posted.problem, blocks: [section(posted.problem), ...(await offerForm(ctx))] });
      return;
    }
    const kept = { kind: 'message' as const, shortcut: saveMessage.id, message };
    const draft = await ctx.deps.drafts.keep(ctx.actor, kept, ctx.key, ctx.now);
    const source = 'file' in posted ? posted.name : 'The JSON in that message';
    await ctx.openForm(saveForm, { draft, source });
  },
};

/** The JSON in a message: its one file, else its block of code, else its words when they are JSON. `problem` is mrkdwn. */
function findPosted({
  files,
  text,
}: SourceMessage):
  | { readonly file: string; readonly name: string }
  | { readonly code: string }
  | { readonly problem: string } {
  const named = files.filter(file => /\.json$/i.test(file.name));
  const [file, another] = named.length > 0 ? named : files;
  if (another) return { problem: 'That message has more than one file. Post the one to be saved alone.' };
  if (file && file.id !== '') return { file: file.id, name: file.name };
  // As it was typed, where Slack made links and mentions of it.
  const parts = [...readSlackText(text)].map(token => {
    if (token.kind === 'text') return token.text;
    if (token.kind === 'link') return token.label || token.url;
    return `${token.kind === 'channel' ? '#' : '@'}${token.label || token.id}`;
  });
  const typed = parts.join('');
  const [, fenced = '', behind] = typed.split('```', 3);
  const code = behind === undefined ? typed.trim() : fenced.replace(/^json\b/, '').trim();
  if (code.startsWith('{')) return { code };
  return {
    problem:
      'That message has no dashboard: post its JSON as a .json file or between two lines of three backticks, and use the shortcut on that message. Or paste it with `/dash save`.',
  };
}

/** The dashboard in the message of a draft; undefined after the person was told why there is none. */
async function readPosted(ctx: Context, draftId: string): Promise<GivenDashboard | undefined> {
  const draft = await ctx.deps.drafts.find(ctx.actor, draftId, ctx.now);
  const posted = draft?.kind === 'message' ? findPosted(draft.message) : undefined;
  if (!posted || 'problem' in posted) {
    await ctx.reject(
      posted?.problem ?? 'I no longer have that message: I keep one for a week. Use the shortcut on it again.',
    );
    return undefined;
  }
  const read = 'code' in posted ? { text: posted.code } : await readFile(ctx, posted.file);
  const model = 'problem' in read ? read : readModel(read.text);
  if (!('problem' in model)) return model;
  const why = 'problem' in read ? read.problem : toMrkdwn(model.problem, 1000);
  await ctx.reject(`Nothing was saved. ${why}`, await offerForm(ctx));
  return undefined;
}

/** A button for the form in which the JSON can be pasted. */
async function offerForm(ctx: Context): Promise<readonly KnownBlock[]> {
  const form = { kind: 'form' as const, modal: saveForm.id, state: { draft: '', source: '' } };
  const filled = ctx.draft?.kind === 'form' ? ctx.draft.filled : {};
  const kept = await ctx.deps.drafts.keep(ctx.actor, { ...form, filled }, ctx.key, ctx.now);
  return [actions([pressable(resumeButton, { draft: kept, incidentID: '' }, { label: 'Paste it into a form' })])];
}

const fileProblems: Readonly<Record<FileProblem, string>> = {
  'too large': `That file has more than ${maxJson / 1_000_000} MB, which is the most I take. Import it in the browser.`,
  elsewhere: 'That file is not kept by Slack, and I read files from nowhere else. Upload the file itself.',
  'not given': 'Slack did not give me that file. Try again in a moment.',
  'not text': 'That file is not UTF-8 text.',
};

async function readFile(ctx: Context, id: string): Promise<{ text: string } | { problem: string }> {
  try {
    const read = await ctx.deps.slack.readFile(id, maxJson);
    return 'problem' in read ? { problem: fileProblems[read.problem] } : read;
  } catch (error) {
    const scope = missingScope(error);
    if (scope !== '')
      return { problem: `I could not read the file: ${reasonWords(error)} Or paste a short one into the form.` };
    const reason = slackReason(error);
    ctx.log.info({ reason }, 'dash: Slack did not give a file');
    return reason === 'file_not_found'
      ? {
          problem:
            'I do not see that file: I am not in its channel, or it was deleted. `/invite @Muster` there, then try again.',
        }
      : { problem: `I could not read the file: ${reasonWords(error)}` };
  }
}

/** The obstacle to a save, in mrkdwn; `version` is that of the dashboard that would be overwritten. */
interface Obstacle {
  readonly says: string;
  readonly may: 'overwrite' | 'nothing';
  readonly version: number;
}

/**
 * The choices of a person whose dashboard the API did not save: they read who changed the one that is there and when, and may overwrite it,
 * save under another name, or leave it. Undefined for every other failure, and while the API cannot say what is there.
 */
async function saveChoices(
  ctx: ReceiptContext,
  { id, error }: { readonly id: string; readonly error: RpcError },
  save: Save,
): Promise<Words | undefined> {
  const obstacle = await findObstacle(ctx, error, save).catch(() => undefined);
  if (!obstacle) return undefined;
  const text = `${signs.warning} ${obstacle.says} Nothing was saved.`;
  const confirm = confirmLoss('Overwrite it?', 'The dashboard as it is becomes an older version.', 'Overwrite');
  const row = [
    ...(obstacle.may === 'overwrite'
      ? [{ ...pressable(overwriteButton, { intent: id, version: obstacle.version }), confirm }]
      : []),
    pressable(anotherButton, { intent: id }),
    pressable(discardFace, { intent: id }, { label: 'Cancel' }),
  ];
  return { text, blocks: [section(text), actions(row)] };
}

async function findObstacle(ctx: ReceiptContext, error: RpcError, save: Save): Promise<Obstacle | undefined> {
  const isRefused = error.code === 'failed_precondition' && preconditionReasons.some(each => each === error.reason);
  if (!isRefused && error.code !== 'invalid_argument') return undefined;
  const there = save.uid === '' ? undefined : await getDashboard(ctx.deps.api, save.uid);
  const mine = `“${toMrkdwn(save.title, 100)}”`;
  if (error.code === 'invalid_argument') {
    if (!there?.meta.provisioned) return undefined;
    const says = `The dashboard ${mine} comes from files on the server, so it is changed there and cannot be saved from here.`;
    return { says, may: 'nothing', version: 0 };
  }
  const { version } = JSON.parse(save.json) as { readonly version?: unknown };
  const ownVersion = typeof version === 'number' ? version : 0;
  switch (error.reason) {
    case 'version-mismatch': {
      const yours = ownVersion === 0 ? 'Yours names no version.' : `Yours is version ${ownVersion}.`;
      return {
        says: `The dashboard ${mine} has been changed since your JSON was made${there ? `: ${changedWords(there)}. ${yours}` : '.'}`,
        may: 'overwrite',
        version: there?.dashboard.version ?? 0,
      };
    }
    case 'plugin-dashboard':
      return {
        says: `The dashboard ${mine} belongs to a plugin, which may replace it at its next update: “${toMrkdwn(error.message, 200)}”.`,
        may: 'overwrite',
        version: 0,
      };
    default:
      return nameObstacle(save, there, ownVersion, error);
  }
}

/** A uid or a title that is taken: the API says `name-exists` for both. */
function nameObstacle(save: Save, there: Dashboard | undefined, ownVersion: number, error: RpcError): Obstacle {
  const quoted = `“${toMrkdwn(error.message, 200)}”`;
  if (there && ownVersion === 0) {
    const title = toMrkdwn(there.dashboard.title, 100);
    const folder = toMrkdwn(there.meta.folderTitle, 100);
    const says = `The uid ${code(save.uid, 60)} is taken by the dashboard “${title}” in “${folder}”: ${changedWords(there)}.`;
    return { says, may: 'overwrite', version: there.dashboard.version };
  }
  if (!there && save.uid !== '' && /\buid\b/.test(error.message)) {
    const says = `The uid ${code(save.uid, 60)} is taken, and nobody can see by what (${quoted}). A dashboard in the trash keeps its uid: ${code(`/dash restore ${save.uid}`, 80)} takes it out.`;
    return { says, may: 'nothing', version: 0 };
  }
  const says = `Another dashboard of that folder is called “${toMrkdwn(save.title, 100)}” (${quoted}), and overwriting replaces it.`;
  return { says, may: 'overwrite', version: 0 };
}

function changedWords({ dashboard, meta }: Dashboard): string {
  const who = meta.updatedBy === '' ? '' : ` by ${toMrkdwn(meta.updatedBy, 80)}`;
  const at = meta.updated === '' ? '' : ` ${when(meta.updated)}`;
  return `it is at version ${dashboard.version}, changed last${who}${at}`;
}

/** The save that failed; undefined after the person was told that it is no longer kept. */
async function findSave(ctx: Context, intent: string): Promise<Save | undefined> {
  const stored = await ctx.deps.journal.find(intent, toOwner(ctx.actor));
  if (stored?.kind.kind === saveDashboard.kind) return Save.parse(stored.payload);
  await ctx.answer(
    sentence('Only the person who tried to save this dashboard can do that, within a month. `/dash save` starts over.'),
  );
  return undefined;
}

/** The intent that failed, and the version that the person was shown (0: none). */
const Choice = z.object({ intent: z.string(), version: z.number() });

/**
 * Saves over what is there. It replaces that version and no later one: if another person has changed it meanwhile, this one is asked again.
 * Without a version, it replaces any dashboard that is in the way.
 */
const overwriteButton = defineButton({
  id: 'dash.overwrite',
  label: 'Overwrite it',
  style: 'danger',
  value: Choice,
  run: async (ctx, { value: { intent, version } }) => {
    const save = await findSave(ctx, intent);
    if (!save) return;
    const json = () => JSON.stringify({ ...(parseExact(save.json) as Members), version });
    const next = version > 0 ? { ...save, json: json() } : { ...save, overwrite: true };
    await ctx.carryOut(saveDashboard, next, { key: `${intent}/overwrite/${version}` });
  },
});

/** Opens the form that saves the dashboard as a new one. */
const anotherButton = defineButton({
  id: 'dash.another',
  label: 'Save under another name',
  value: Choice.pick({ intent: true }),
  run: async (ctx, { value: { intent } }) => {
    const save = await findSave(ctx, intent);
    if (!save) return;
    const title = `${save.title.slice(0, 200)} (copy)`;
    await ctx.openForm(anotherForm, { intent }, { title, folder: save.folderUid });
  },
});

/** The buttons below a dashboard that was not saved. */
export const saveButtons = [overwriteButton, anotherButton] as Button[];

/** The form that saves the dashboard of a failed intent under another title. */
export const anotherForm = defineModal({
  id: 'dash.another',
  state: z.object({ intent: z.string() }),
  view: (_state, filled) => ({
    title: 'Save as a new one',
    submit: 'Save',
    blocks: [
      textField({ id: 'title', label: 'Title', hint: 'It gets a uid of its own.' }, filled),
      folderField(filled),
    ],
  }),
  check: filled => {
    const title = toOneLine(fieldValue(filled, 'title'));
    const folderUid = fieldValue(filled, 'folder').trim();
    const folder = findFolderProblem(folderUid);
    if (title === '') return { problems: { title: 'Give the dashboard a title.' } };
    if (title.length > maxTitle) return { problems: { title: `A title has at most ${maxTitle} characters.` } };
    return folder ? { problems: { folder } } : { value: { title, folderUid } };
  },
  submit: async (ctx, { title, folderUid }, { intent }) => {
    const save = await findSave(ctx, intent);
    if (!save) return;
    const { uid: _uid, version: _version, ...model } = parseExact(save.json) as Members;
    const json = JSON.stringify({ ...model, title });
    await ctx.carryOut(saveDashboard, { ...save, json, title, uid: '', folderUid, overwrite: false });
  },
});
