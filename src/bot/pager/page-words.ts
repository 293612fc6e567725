import { userOf } from '../people/person.ts';
import type { PageTable } from '../schema/pages-sent.ts';
import { mention, toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';
import { toSlackDate } from '../text/times.ts';

/** What a line about a page is made of. */
type ToldPage = Pick<PageTable, 'pager' | 'why' | 'actor' | 'state' | 'acknowledged_by' | 'trouble' | 'changed_at'>;

/** The line in the room about a page, as mrkdwn. */
export function pageWords(page: ToldPage): string {
  const { state, why, actor, trouble } = page;
  const pager = `*${toMrkdwn(page.pager, 40)}*`;
  const user = userOf(actor);
  const reason = why === '' ? '' : `: ${toMrkdwn(why, 500)}`;
  const rest = `${reason}${user === '' ? '' : ` – by ${mention(user)}`}`;
  switch (state) {
    case 'begun':
    case 'waiting':
      return `${signs.warning} ${pager} is *not paged yet*, and I keep trying${rest}`;
    case 'failed':
      return `${signs.warning} ${pager} was *not paged* (“${toMrkdwn(trouble, 400)}”)${rest}`;
    default:
      return `${signs.call} Paged ${pager}${rest}${answerWords(page)}`;
  }
}

function answerWords({ state, acknowledged_by, changed_at }: ToldPage): string {
  const by = acknowledged_by === '' ? '' : ` by ${toMrkdwn(acknowledged_by, 80)},`;
  const at = ` ${toSlackDate(new Date(changed_at))}`;
  if (state === 'acknowledged') return ` · acknowledged there${by}${at}`;
  if (state !== 'resolved') return '';
  return acknowledged_by === '' ? ' · closed there' : ` · acknowledged there${by} now closed`;
}
