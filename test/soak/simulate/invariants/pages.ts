import type { Act } from '../people/acts.ts';
import { type Complaint, type Evidence, tell } from './evidence.ts';

/** The words that a person reads after asking for a page. */
const promised = /📟 You (already )?paged |as soon as /u;
/** What tells that a page never went out. */
const failed = /not paged/;

/**
 * A page wakes somebody once, under a key of its own, whatever is sent how often. Whoever was told that it is sent, or will be, has their
 * page with the pager, unless it was told that it failed. The room reads who acknowledged it.
 */
export function pagesOnce(evidence: Evidence): readonly Complaint[] {
  const { world, acts } = evidence;
  const { pages, refused } = world.pagers;
  const asked = acts.filter(({ kind }) => kind === 'page');
  const split = Map.groupBy(
    pages.filter(({ mark }) => mark !== ''),
    ({ mark }) => mark,
  );
  return [
    ...refused.map(body => `a pager could not read ${body}`),
    ...pages.filter(({ woke }) => woke > 1).map(({ key, woke }) => `the page ${key} woke somebody ${woke} times`),
    ...[...split].filter(([, all]) => all.length > 1).map(([mark, all]) => `the page ${mark} has ${all.length} keys`),
    ...pages
      .filter(({ mark, pager }) => mark !== '' && !asked.some(each => each.mark === mark && each.value === pager))
      .map(({ mark, pager }) => `nobody asked to page ${pager} for ${mark}`),
    ...(pages.length > asked.length ? [`${pages.length} pages went out, and ${asked.length} were asked for`] : []),
    ...asked.flatMap(act => isSent(evidence, act)),
    ...isTold(evidence),
  ];
}

/** What a promised page came to. Of a private incident the pager is told nothing, so that its page is counted alone. */
function isSent({ world, acts }: Evidence, act: Act): Complaint[] {
  const isPromised = act.answers.some(({ text }) => promised.test(text));
  const isKnown = world.pagers.pages.some(({ mark }) => mark === act.mark);
  if (!isPromised || isKnown || world.pagers.pages.some(({ mark }) => mark === '')) return [];
  const isFailed =
    world.slack.channels.some(({ messages }) =>
      messages.some(({ text }) => text.includes(act.mark) && (failed.test(text) || /over before|could not/.test(text))),
    ) || acts.some(each => each.number === act.number && each.answers.some(({ text }) => /over before/.test(text)));
  return isFailed ? [] : [`${tell(act)} was to page, and no pager has it`];
}

/** The line of a page that was acknowledged says so. Where Slack refuses lines, nothing is told. */
function isTold({ world }: Evidence): readonly Complaint[] {
  if (world.plan.refusals.length > 0) return [];
  return world.pagers.pages
    .filter(({ mark, isAcknowledgedThere }) => mark !== '' && isAcknowledgedThere)
    .flatMap(({ mark, pager }) => {
      const lines = world.slack.channels
        .filter(({ isIm }) => !isIm)
        .flatMap(({ messages }) => messages)
        .filter(({ text, ephemeralTo }) => ephemeralTo === undefined && /📟 Paged /u.test(text) && text.includes(mark));
      const isSaid = lines.every(({ text }) => /acknowledged there|closed there/.test(text));
      if (lines.length > 1) return [`${lines.length} lines tell of the page ${mark}`];
      return isSaid ? [] : [`the page ${mark} was acknowledged with ${pager}, and its line does not say so`];
    });
}
