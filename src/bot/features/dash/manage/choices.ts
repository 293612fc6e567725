import { z } from 'zod';
import { preconditionReasons } from '../../../../contract/dashboards.ts';
import type { RpcError } from '../../../../contract/errors.ts';
import { discardFace } from '../../../dispatch/answers/receipts.ts';
import { type Button, defineButton, pressable } from '../../../dispatch/feature/feature.ts';
import type { ReceiptContext } from '../../../incident/acts/intent-kind.ts';
import { actions, code, confirmLoss, section, toMrkdwn, type Words } from '../../../text/blocks.ts';
import { when } from '../../../text/shown-times.ts';
import { signs } from '../../../text/signs.ts';
import { type Dashboard, getDashboard } from '../link/find.ts';
import { openAnotherName, overwriteWith } from './save-again.ts';
import type { Save } from './save-payload.ts';

/** What the button of a choice carries: the intent that failed, and the version that the person was shown (0: none). */
const Choice = z.object({ intent: z.string(), version: z.number() });

const overwriteButton = defineButton({
  id: 'dash.overwrite',
  label: 'Overwrite it',
  style: 'danger',
  value: Choice,
  run: (ctx, { value: { intent, version } }) => overwriteWith(ctx, intent, version),
});

const anotherButton = defineButton({
  id: 'dash.another',
  label: 'Save under another name',
  value: Choice.pick({ intent: true }),
  run: (ctx, { value: { intent } }) => openAnotherName(ctx, intent),
});

/** The buttons of the choices. */
export const choiceButtons: readonly Button[] = [overwriteButton, anotherButton] as Button[];

/** What stands in the way of a save, in mrkdwn; `version` is that of the dashboard that would be overwritten. */
interface Obstacle {
  readonly says: string;
  readonly may: 'overwrite' | 'nothing';
  readonly version: number;
}

/**
 * What a person may choose when the API did not save their dashboard: who changed what is there and when, and whether to overwrite it,
 * to save under another name, or to leave it. Undefined for every other failure, and while the API cannot say what is there.
 */
export async function saveChoices(
  ctx: ReceiptContext,
  { id, error }: { readonly id: string; readonly error: RpcError },
  save: Save,
): Promise<Words | undefined> {
  const obstacle = await findObstacle(ctx, error, save).catch(() => undefined);
  if (!obstacle) return undefined;
  const text = `${signs.warning} ${obstacle.says} Nothing was saved.`;
  const confirm = confirmLoss('Overwrite it?', 'The dashboard as it is becomes an older version.', 'Overwrite');
  const cancel = pressable(discardFace, { intent: id }, { label: 'Cancel' });
  const row = [
    ...(obstacle.may === 'overwrite'
      ? [{ ...pressable(overwriteButton, { intent: id, version: obstacle.version }), confirm }]
      : []),
    pressable(anotherButton, { intent: id }),
    cancel,
  ];
  return { text, blocks: [section(text), actions(row)] };
}

async function findObstacle(ctx: ReceiptContext, error: RpcError, save: Save): Promise<Obstacle | undefined> {
  const { api } = ctx.deps;
  const isRefused = error.code === 'failed_precondition' && preconditionReasons.some(each => each === error.reason);
  if (!isRefused && error.code !== 'invalid_argument') return undefined;
  const there = save.uid === '' ? undefined : await getDashboard(api, save.uid);
  const mine = `“${toMrkdwn(save.title, 100)}”`;
  if (error.code === 'invalid_argument') {
    if (!there?.meta.provisioned) return undefined;
    const says = `The dashboard ${mine} comes from files on the server, so it is changed there and cannot be saved from here.`;
    return { says, may: 'nothing', version: 0 };
  }
  switch (error.reason) {
    case 'version-mismatch':
      return {
        says: `The dashboard ${mine} has been changed since your JSON was made${there ? `: ${changedWords(there)}. ${yourVersion(save)}` : '.'}`,
        may: 'overwrite',
        version: there?.dashboard.version ?? 0,
      };
    case 'plugin-dashboard':
      return {
        says: `The dashboard ${mine} belongs to a plugin, which may replace it at its next update: “${toMrkdwn(error.message, 200)}”.`,
        may: 'overwrite',
        version: 0,
      };
    default:
      return nameObstacle(save, there, error);
  }
}

/** A uid or a title that is taken: the API says `name-exists` for both. */
function nameObstacle(save: Save, there: Dashboard | undefined, error: RpcError): Obstacle {
  const quoted = `“${toMrkdwn(error.message, 200)}”`;
  if (there && versionOf(save) === 0) {
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

function yourVersion(save: Save): string {
  const version = versionOf(save);
  return version === 0 ? 'Yours names no version.' : `Yours is version ${version}.`;
}

/** The version that a model names; 0 for none. */
function versionOf({ json }: Pick<Save, 'json'>): number {
  const { version } = JSON.parse(json) as { readonly version?: unknown };
  return typeof version === 'number' ? version : 0;
}
