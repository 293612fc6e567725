import { type Args, flagText, parseCommand } from '../grammar/grammar.ts';
import { readRecent } from '../incident/read-incident.ts';
import { notYet, settleIncident } from '../incident/unregistered.ts';
import { isProvisional } from '../journal/lanes.ts';
import { whyNot, whyNotRead } from '../people/access.ts';
import { toUnverified } from '../people/directory.ts';
import type { Person } from '../people/person.ts';
import { slackReason } from '../slack/clients.ts';
import type { SourceMessage } from '../slack/source-message.ts';
import { actions, said, section, sentence, type Words } from '../text/blocks.ts';
import type { Arrival } from './arrival.ts';
import { type Context, Unanswered } from './context.ts';
import { createContext } from './create-context.ts';
import type { Act } from './delivery.ts';
import type { Deps } from './deps.ts';
import type { Draft, Filled } from './drafts.ts';
import { answerFailure } from './error-boundary.ts';
import { allShortcuts, type Button, type Feature, pressable, type Verb } from './feature.ts';
import { type HelpTopic, help, typedBack, unknownVerb, withTyped } from './help.ts';
import { intentButtons } from './intent-buttons.ts';
import type { Modal } from './modal.ts';
import { again, discard, resume } from './receipts.ts';

/** What a command comes to before anything is done: words that ride in the acknowledgement, or work to do after it. */
export type CommandPlan =
  | { readonly words: Words }
  | {
      readonly run: (arrival: Arrival) => Promise<void>;
      /** It only shows something. */
      readonly reads: boolean;
    };

/** The way from Slack's deliveries to features. It knows no transport; `bot.ts` feeds it. */
export interface Dispatcher {
  command(root: string, text: string): CommandPlan;
  /** Whether an intent may come of an act, for which what is asked for later has to wait. */
  mayChange(act: Act): boolean;
  /** Says what needs no work, where there is no acknowledgement to carry it. */
  say(words: Words, arrival: Arrival): Promise<void>;
  /** Checks a filled form: problems by field id, or undefined when it may be submitted. Pure and quick. */
  problems(modalId: string, filled: Filled, state: unknown, now: Date): Readonly<Record<string, string>> | undefined;
  submit(modalId: string, filled: Filled, state: unknown, arrival: Arrival): Promise<void>;
  press(actionId: string, value: string, picked: string, arrival: Arrival): Promise<void>;
  shortcut(id: string, message: SourceMessage | undefined, arrival: Arrival): Promise<void>;
}

/** Buttons for what is in the journal already: no intent comes of them. */
const handling: readonly string[] = [again.id, discard.id];

/** Opens the frame over the list of features. */
export function createDispatcher(deps: Deps, features: readonly Feature[]): Dispatcher {
  const shortcuts = allShortcuts(features);
  const modals = new Map(features.flatMap(each => each.modals ?? []).map(modal => [modal.id, modal]));
  const all = [...intentButtons, ...features.flatMap(each => each.buttons ?? [])];
  const buttons = new Map<string, Button>(all.map(each => [each.id, each]));
  const facts = (now: Date) => ({ house: deps.house, now });

  const helped = new Map<string, Words>();
  /** Help depends on the features alone, so each topic is put into words once. */
  function helpOn(topic: HelpTopic): Words {
    const name = `${topic.noun ?? ''} ${topic.verb ?? ''}`;
    const words = helped.get(name) ?? help(deps.verbs, shortcuts, deps.house.commandRoot, topic);
    helped.set(name, words);
    return words;
  }

  /** The error boundary: whoever acts is checked, and always gets an answer. */
  async function take(arrival: Arrival, work: (ctx: Context) => Promise<void>, mayAct = whyNot): Promise<void> {
    const person = await identify(deps, arrival);
    const open: string[] = [];
    const ctx = createContext(deps, arrival, person ?? toUnverified(arrival.actor, deps.slack.identity.teamId), open);
    try {
      const refused = person
        ? mayAct(person)
        : 'Slack does not know you here, so I cannot tell whether you may do this. Ask somebody of this workspace to do it.';
      const isAnswered = await carryOut(ctx, refused ? () => ctx.answer(withTyped(refused, arrival.draft)) : work);
      if (isAnswered) await deps.journal.close(open);
      // That something went wrong is not what came of them.
      else await deps.journal.leave(open);
    } catch (error) {
      // What came of the intents is told as soon as Slack is there; where there are none, whoever took the delivery tries again.
      await deps.journal.leave(open);
      if (open.length === 0 || !(error instanceof Unanswered)) throw error;
      ctx.log.warn({ err: error }, 'somebody is answered later');
    }
  }

  /** Does the work of a turn; false when its person was told of a failure in place of what came of it. */
  async function carryOut(ctx: Context, work: (ctx: Context) => Promise<void>): Promise<boolean> {
    try {
      await work(ctx);
      return true;
    } catch (error) {
      if (error instanceof Unanswered) throw error;
      await answerFailure(ctx, error);
      return false;
    }
  }

  async function runVerb(ctx: Context, verb: Verb, args: Args, picked: string): Promise<void> {
    if (verb.about === 'anything') return verb.run(ctx, args);
    const typed = flagText(args, 'incident')?.replace(/^#/, '').trim();
    const here = await deps.rooms.ofChannel(ctx.actor.teamId, ctx.place.channelId, ctx.now);
    const incidentID = picked || typed || here?.incidentID;
    if (!incidentID) return offerIncidents(ctx, verb);
    if (verb.needsRegistered && isProvisional(await settleIncident(deps, incidentID))) throw notYet();
    await verb.run(ctx, args, incidentID);
  }

  function runCommand(root: string, text: string, picked: string): CommandPlan {
    const parsed = parseCommand(deps.verbs, { root, commandRoot: deps.house.commandRoot, text });
    const commandRoot = deps.house.commandRoot;
    const draft: Draft = { kind: 'command', root, text };
    switch (parsed.kind) {
      case 'help':
      case 'bare':
        return { words: helpOn(parsed) };
      case 'unknown':
        return { words: unknownVerb(parsed.typed, parsed.noun, parsed.suggestions, commandRoot, draft) };
      case 'invalid': {
        const help = `\`/${parsed.noun} ${parsed.verb} help\` tells what goes where.`;
        const text = `${said(parsed.problem)} ${help}`;
        return { words: { text, blocks: [section(text), ...typedBack(draft)] } };
      }
      case 'verb': {
        const verb = deps.verbs.find(each => each.noun === parsed.noun && each.verb === parsed.verb);
        if (!verb) throw new Error(`The grammar knows a verb that no feature has: ${parsed.noun} ${parsed.verb}`);
        const mayAct = verb.reads ? whyNotRead : whyNot;
        const run = (arrival: Arrival) => take(arrival, ctx => runVerb(ctx, verb, parsed.args, picked), mayAct);
        return { run, reads: verb.reads === true };
      }
    }
  }

  async function takeUp(ctx: Context, arrival: Arrival, id: string, draft: Draft, picked: string): Promise<void> {
    if (draft.kind === 'command') {
      const plan = runCommand(draft.root, draft.text, picked);
      // Pressed twice, it is still the one thing that was typed.
      const key = `draft/${id}/${picked}`;
      if ('words' in plan) await ctx.answer(plan.words);
      else await plan.run({ ...arrival, draft, key });
      return;
    }
    const refused = whyNot(ctx.actor);
    if (refused) return ctx.answer(sentence(refused));
    if (draft.kind === 'message') {
      const shortcut = shortcuts.find(each => each.id === draft.shortcut);
      if (shortcut?.kind !== 'message') throw new Error(`There is no shortcut ${draft.shortcut}`);
      return shortcut.run(ctx, draft.message);
    }
    const opened = findForm(draft.modal, draft.state);
    if (opened) await ctx.openForm(opened.modal, opened.state, draft.filled, draft.offered);
    else await ctx.answer(anotherVersion);
  }

  /** A form that this version has, with its state; undefined when it is from another version. */
  function findForm(id: string, state: unknown): { modal: Modal; state: unknown } | undefined {
    const modal = modals.get(id);
    const parsed = modal?.state.safeParse(state);
    return modal && parsed?.success ? { modal, state: parsed.data } : undefined;
  }

  /** What a form or button carries, about the incident as it is known now: it may have been made before it was registered. */
  async function asKnownNow<T>(carried: T): Promise<T> {
    if (typeof carried !== 'object' || carried === null) return carried;
    const incidentID: unknown = Reflect.get(carried, 'incidentID');
    if (typeof incidentID !== 'string' || !isProvisional(incidentID)) return carried;
    return { ...carried, incidentID: await settleIncident(deps, incidentID) };
  }

  async function pressResume(
    ctx: Context,
    arrival: Arrival,
    value: { draft: string; incidentID: string },
  ): Promise<void> {
    const draft = await deps.drafts.find(ctx.actor, value.draft, ctx.now);
    if (draft) return takeUp(ctx, arrival, value.draft, draft, value.incidentID);
    await ctx.answer(
      sentence('That was kept for a week, and the week is over (or it was somebody else’s). Type it again.'),
    );
  }

  return {
    command: (root, text) => runCommand(root, text, ''),
    mayChange: act => {
      if (act.kind === 'press') return buttons.get(act.actionId)?.reads !== true && !handling.includes(act.actionId);
      if (act.kind !== 'command') return true;
      const plan = runCommand(act.root, act.text, '');
      return 'run' in plan && !plan.reads;
    },
    say: (words, arrival) =>
      createContext(deps, arrival, toUnverified(arrival.actor, deps.slack.identity.teamId)).answer(words),
    problems: (modalId, filled, state, now) => {
      const form = findForm(modalId, state);
      if (!form) return undefined;
      const checked = form.modal.check(filled, form.state, facts(now));
      return 'problems' in checked ? checked.problems : undefined;
    },
    submit: async (modalId, filled, state, arrival) => {
      await take(arrival, async ctx => {
        const form = findForm(modalId, state);
        if (!form) return ctx.answer(anotherVersion);
        const checked = form.modal.check(filled, form.state, facts(arrival.now));
        if ('problems' in checked) throw new Error(`The form ${modalId} was acknowledged and then found wrong`);
        await form.modal.submit(ctx, checked.value, await asKnownNow(form.state));
      });
    },
    press: async (actionId, value, picked, arrival) => {
      const button = buttons.get(actionId);
      const mayPress = button?.reads || actionId === resume.id ? whyNotRead : whyNot;
      const work = async (ctx: Context) => {
        if (actionId === resume.id) return pressResume(ctx, arrival, resume.value.parse(JSON.parse(value)));
        if (!button) {
          await ctx.answer(
            sentence('That button is from another version of Muster. Type the command instead: `help` lists them.'),
          );
          return;
        }
        await button.run(ctx, { value: await asKnownNow(button.value.parse(JSON.parse(value))), picked });
      };
      await take(arrival, work, mayPress);
    },
    shortcut: async (id, message, arrival) => {
      const shortcut = shortcuts.find(each => each.id === id);
      await take(arrival, async ctx => {
        if (shortcut?.kind === 'global') await shortcut.run(ctx);
        else if (shortcut && message) await shortcut.run(ctx, message);
        else
          await ctx.answer(
            sentence(
              'That shortcut is from another version of Muster: whoever runs it must update the app’s manifest.',
            ),
          );
      });
    },
  };
}

const anotherVersion = sentence(
  'That form is from another version of Muster, so nothing was done. Open it again and fill it in once more.',
);

/** The person behind a delivery; undefined when Slack knows nobody of that id. */
async function identify(deps: Deps, arrival: Arrival): Promise<Person | undefined> {
  try {
    return await deps.people.find(arrival.actor.userId);
  } catch (error) {
    arrival.log.warn({ reason: slackReason(error) }, 'acting on the delivery’s own word for who this is');
    return toUnverified(arrival.actor, deps.slack.identity.teamId);
  }
}

async function offerIncidents(ctx: Context, verb: Verb): Promise<void> {
  const incidentPreviews = await readRecent(ctx.deps, 8, 'modifiedTime');
  if (incidentPreviews.length === 0) {
    await ctx.answer(withTyped('There is no incident yet. `/incident declare` opens one.', ctx.draft));
    return;
  }
  const draft = ctx.draft && (await ctx.deps.drafts.keep(ctx.actor, ctx.draft, ctx.key, ctx.now));
  const text = `Which incident is \`/${verb.noun} ${verb.verb}\` about? This channel belongs to none.`;
  const choices = incidentPreviews.map(each =>
    pressable(resume, `#${each.incidentID} ${each.status === 'resolved' ? '✓ ' : ''}${each.title}`, {
      draft: draft ?? '',
      incidentID: each.incidentID,
    }),
  );
  await ctx.answer({
    text,
    blocks: [section(text), ...choices.map(choice => actions([choice])), ...typedBack(ctx.draft)],
  });
}
