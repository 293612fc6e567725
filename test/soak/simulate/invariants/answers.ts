import { type Act, isAcknowledged, isSwallowed } from '../people/acts.ts';
import { type Complaint, type Evidence, tell } from './evidence.ts';

/** How long Slack may be away before an answer that nothing is kept for is given up, in milliseconds. */
const given = 60_000;

/** Whoever did something that the bot acknowledged was told what became of it. */
export function everybodyAnswered(evidence: Evidence): readonly Complaint[] {
  return evidence.acts
    .filter(act => isAcknowledged(act) && !isSwallowed(act) && act.answers.length === 0)
    .filter(
      act =>
        !wasToldOfTheSame(evidence, act) &&
        !wasToldLater(evidence, act) &&
        !(act.intents.size === 0 && isSlackAway(evidence, act)),
    )
    .map(act => `${tell(act)} was acknowledged, and nothing was ever said about it`);
}

/** They did the same again, and were told then. */
function wasToldOfTheSame({ acts }: Evidence, { userId, kind, incident, value, mark, at }: Act): boolean {
  return acts.some(
    each =>
      each.userId === userId &&
      each.kind === kind &&
      each.incident === incident &&
      // An edit that comes after a newer one changes nothing.
      (kind === 'edit' || each.value === value) &&
      each.mark === mark &&
      each.at > at &&
      each.answers.length > 0,
  );
}

/** A message that came by itself and has no mark to tell by: it is about an act of a kind that leaves none. */
function wasToldLater({ world }: Evidence, act: Act): boolean {
  const [word = ''] = act.value.split(' ');
  const sign = {
    severity: new RegExp(`to \\*?${word}|is ${word} already|severity`),
    role: new RegExp(`(?:is (?:now )?\\*?|role |ma[dk]e .* )${word}`),
    done: new RegExp(`\\b${word}\\b`),
    // A form that could not be opened is offered with a button, and its words are in the draft.
    declare: /What you typed is kept: press the button/,
    reopen: /is open again|active already|[Rr]eopen/,
    resolve: /is resolved|[Rr]esolve|The summary is on the timeline/,
    change: /./,
    undo: /./,
    call: /./,
    answer: /./,
    promise: /./,
    snooze: /./,
    page: /./,
  }[act.kind as string];
  return (
    sign !== undefined &&
    world.witness.loose.some(each => each.userId === act.userId && each.at >= act.at && sign.test(each.text))
  );
}

function isSlackAway({ world }: Evidence, act: Act): boolean {
  const { slack, refusals, revocations } = world.plan;
  return [...slack, ...refusals, ...revocations].some(each => each.from <= act.at + given && act.at <= each.until);
}
