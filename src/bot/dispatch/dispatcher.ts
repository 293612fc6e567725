import { randomBytes } from 'node:crypto';
import { isFull, isUnavailable } from '../../db/failure.ts';
import { NotRegistered, withCurrentID } from '../incident/acts/registration.ts';
import { AlreadyAnswered, Stopped } from '../journal/intent.ts';
import { NotIdentified, toUnknown } from '../people/directory.ts';
import { withLabels } from '../people/mentions.ts';
import type { Person } from '../people/person.ts';
import { NotAllowed, unknownPerson, whyNot, whyNotRead } from '../people/reach.ts';
import { NotVisible } from '../people/visibility.ts';
import { isDirectMessage } from '../slack/channel-ids.ts';
import { slackReason, slackRefusal } from '../slack/clients.ts';
import { actions, code, section, sentence, type Words } from '../text/blocks.ts';
import { ActContext } from './act-context.ts';
import { explainRead, worthRetrying } from './answers/error-messages.ts';
import { receiptButtons } from './answers/receipt-buttons.ts';
import { apology, discardFace, isRpcError, notBegunWords, questionWords, retryFace } from './answers/receipts.ts';
import { tellPerson } from './answers/tell-person.ts';
import { typedBack } from './answers/typed-back.ts';
import { type CommandPlan, planCommand } from './command/command.ts';
import { createHelp } from './command/help.ts';
import { helpButtons } from './command/help-buttons.ts';
import { pickMenu } from './command/offer-incidents.ts';
import { type Context, type Modal, Unanswered } from './feature/context.ts';
import type { Act, Delivery, Reply, ShownHome } from './feature/delivery.ts';
import type { Deps } from './feature/deps.ts';
import type { CommandLine, Draft, Filled } from './feature/drafts.ts';
import {
  allShortcuts,
  allVerbs,
  type Button,
  type Feature,
  menuEntries,
  pressable,
  rootOf,
  type Shortcut,
  type Verb,
} from './feature/feature.ts';
import { handleReaction, type ReactionAct, type ReactionHandler } from './feature/reaction.ts';
import { resumeButton, wakeButton } from './feature/resume.ts';
import type { Plan, Turn } from './feature/turn.ts';
import { publishHome } from './surfaces/home.ts';

/** Buttons that carry out what was typed before, which may be a change. */
const resumes: readonly string[] = [resumeButton.id, wakeButton.id, pickMenu.id];

/** Buttons about intents that are in the journal already: no new one comes of them. */
const keepsNoOrder: readonly string[] = [retryFace.id, discardFace.id];

/** Finds the feature for an act, checks the person, and runs it within the error boundary. It knows no transport. */
export class Dispatcher {
  readonly #deps: Deps;
  readonly #features: readonly Feature[];
  readonly #shortcuts: readonly Shortcut[];
  readonly #reactions: readonly ReactionHandler[];
  readonly #modals: ReadonlyMap<string, Modal>;
  readonly #buttons: ReadonlyMap<string, Button>;
  readonly #planCommand: (draft: CommandLine, picked: string) => CommandPlan;

  constructor(deps: Deps, features: readonly Feature[]) {
    this.#deps = deps;
    this.#features = features;
    this.#shortcuts = allShortcuts(features);
    this.#reactions = features.flatMap(each => each.reactions ?? []);
    this.#modals = new Map(features.flatMap(each => each.modals ?? []).map(modal => [modal.id, modal]));
    const buttons = [
      ...receiptButtons,
      pickMenu as Button,
      ...helpButtons,
      ...features.flatMap(each => each.buttons ?? []),
    ];
    this.#buttons = new Map(buttons.map(each => [each.id, each]));
    const verbs = allVerbs(features);
    const help = createHelp(verbs, menuEntries(features), deps.settings.commandRoot);
    this.#planCommand = planCommand(deps, verbs, help);
  }

  /** What an act comes to. Pure and quick. */
  plan(act: Act): Plan {
    switch (act.kind) {
      case 'command': {
        const plan = this.#planCommand(act, '');
        // Words ride in the acknowledgement of a slash command; a message has none.
        if ('words' in plan && act.root !== 'mention') return plan;
        const [mayChange, isUrgent] = 'words' in plan ? [false] : [!plan.reads, plan.isUrgent];
        return this.#work(ctx => this.#takeCommand(ctx, act), mayChange, isUrgent);
      }
      case 'edit':
        return this.#work(ctx => this.#takeEdit(ctx, act));
      case 'press': {
        if (act.actionId === cardMenu) return this.plan({ ...act, actionId: act.picked, picked: '' });
        const button = this.#buttons.get(act.actionId);
        const isRead = button?.reads === true && !resumes.includes(act.actionId);
        const mayChange = !isRead && !keepsNoOrder.includes(act.actionId);
        const access = button?.reads ? whyNotRead : whyNot;
        const press = (ctx: ActContext) => this.#take(ctx, each => this.#press(each, act), access);
        const work = isRead ? press : (ctx: ActContext) => this.#withHome(ctx, press, act.home);
        return this.#work(work, mayChange, button?.isUrgent);
      }
      case 'form': {
        const submit = (ctx: ActContext) => this.#take(ctx, each => this.#submit(each, act), whyNot, false);
        return this.#work(ctx => this.#withHome(ctx, submit), true, this.#modals.get(act.modal)?.isUrgent);
      }
      case 'home':
        return this.#work(ctx => this.#showHome(ctx, act.home), false);
      case 'reaction':
        return this.#work(ctx => this.#takeReaction(ctx, act));
      case 'change':
        return this.#work(ctx => this.#follow(ctx, act));
      case 'shortcut':
        return this.#work(ctx => this.#take(ctx, each => this.#useShortcut(each, act)));
    }
  }

  /** The plan to do this, in a context whose person is not known yet. */
  #work(run: (ctx: ActContext) => Promise<void>, mayChange = true, isUrgent = false): Plan {
    return { run: (delivery, reply, turn) => run(this.#begin(delivery, reply, turn)), mayChange, isUrgent };
  }

  /** Whether a reaction means something, and is not the bot's own mark. */
  isMeant(emoji: string, userId: string): boolean {
    return this.#handlerOf(emoji) !== undefined && userId !== this.#deps.slack.identity.botUserId;
  }

  /** Says words that no acknowledgement carries. */
  say(words: Words, delivery: Delivery, reply: Reply, turn: Turn): Promise<void> {
    return this.#begin(delivery, reply, turn).answer(words);
  }

  /** Checks a filled form: problems by field id, or undefined when it may be submitted. Pure and quick. */
  problems(modalId: string, filled: Filled, state: unknown, now: Date): Readonly<Record<string, string>> | undefined {
    const form = this.#findForm(modalId, state);
    if (!form) return undefined;
    const checked = form.modal.check(filled, form.state, { settings: this.#deps.settings, now });
    return 'problems' in checked ? checked.problems : undefined;
  }

  /** Carries out a typed command. Names take the place of ids, so that people read names wherever its words go. */
  async #takeCommand(ctx: ActContext, command: CommandLine) {
    const { root } = command;
    const text = await withLabels(this.#deps, command.text);
    const act = { ...command, text, ...(root === 'mention' ? { message: ctx.key } : {}) };
    const plan = this.#planCommand(act, '');
    const named = ctx.but({ delivery: { ...ctx.delivery, act } });
    const isDirect = root === 'mention' && isDirectMessage(ctx.location.channelId);
    const isGreeted = isDirect && (await greet(named));
    if (!('words' in plan)) await this.#take(named, plan.run, plan.access);
    else if (!isGreeted) await named.answer(plan.words);
  }

  /** Does what was asked for. On the home tab, that shows the new state afterwards, below what would have replaced a message. */
  async #withHome(ctx: ActContext, work: (each: ActContext) => Promise<void>, before?: ShownHome): Promise<void> {
    if (ctx.delivery.location.tab !== 'home') return work(ctx);
    let notice: Words | undefined;
    await work(ctx.but({ reply: { ...ctx.reply, replaceOnHome: words => (notice = words) } }));
    await this.#showHome(ctx, before ?? { shown: '', hash: '' }, notice);
  }

  async #showHome(ctx: ActContext, shown: ShownHome, notice?: Words): Promise<void> {
    const person = await this.#deps.people.identify(ctx.delivery.actor, 'read');
    if (person) await publishHome(ctx.but({ person }), this.#features, shown, notice);
  }

  async #takeEdit(ctx: ActContext, { text: typed, first }: Extract<Act, { kind: 'edit' }>): Promise<void> {
    const text = await withLabels(this.#deps, typed);
    const act = { kind: 'command', root: 'mention', text, message: first } as const;
    const plan = this.#planCommand(act, '');
    const named = ctx.but({ delivery: { ...ctx.delivery, act } });
    await this.#take(named, each => answerEdit(each, plan, first), 'words' in plan ? whyNotRead : plan.access);
  }

  /** The error boundary. It checks the person, gives them an answer in any case, and has each outcome told once. */
  async #take(
    begun: ActContext,
    work: (ctx: ActContext) => Promise<void>,
    access: (person: Person) => string | undefined = whyNot,
    isHere = true,
  ): Promise<void> {
    const { journal } = this.#deps;
    let ctx = begun;
    try {
      const purpose = access === whyNotRead ? 'read' : 'change';
      const person = await this.#deps.people.identify(begun.delivery.actor, purpose);
      if (person) ctx = begun.but({ person, isHere });
      const refused = person ? access(person) : unknownPerson;
      if (refused) await ctx.reject(refused);
      else await work(ctx);
    } catch (error) {
      // A process died after it had answered: a message says what this one adds.
      if (error instanceof AlreadyAnswered) return journal.tellLater(ctx.unreported);
      if (error instanceof Stopped) throw error;
      return this.#answerError(ctx, error);
    }
    ctx.turn.answered.push(...ctx.unreported);
  }

  /** Answers that something went wrong. A message tells the outcomes of the intents that were submitted before. */
  async #answerError(ctx: ActContext, error: unknown): Promise<void> {
    const { journal } = this.#deps;
    try {
      if (error instanceof Unanswered) throw error;
      await answerError(ctx, error);
      await journal.tellLater(ctx.unreported);
    } catch (unanswered) {
      await journal.tellLater(ctx.unreported);
      if (ctx.unreported.length === 0 || !(unanswered instanceof Unanswered)) throw unanswered;
      ctx.log.warn({ err: unanswered }, 'answer: Slack is away, a message tells the outcome later');
    }
  }

  /** A reaction in an incident's room. Elsewhere people react as they like. */
  async #takeReaction(ctx: ActContext, act: ReactionAct): Promise<void> {
    const handler = this.#handlerOf(act.emoji);
    const { slack, rooms } = this.#deps;
    const here = await rooms.allOfChannel(slack.identity.teamId, ctx.location.channelId, ctx.now);
    if (!handler || here.length === 0) return;
    await this.#take(
      ctx,
      each => handleReaction(each, act, handler),
      () => undefined,
    );
  }

  #handlerOf(emoji: string): ReactionHandler | undefined {
    const means = this.#deps.settings.timelineEmoji.get(emoji);
    return this.#reactions.find(each => each.means === means);
  }

  /** A message was edited or deleted. */
  async #follow({ delivery }: ActContext, { how, ts }: Extract<Act, { kind: 'change' }>): Promise<void> {
    const { actor, location, key } = delivery;
    const change = { message: { channelId: location.channelId, ts }, how, userId: actor.userId, key };
    for (const feature of this.#features) await feature.onChange?.(this.#deps, change);
  }

  async #press(ctx: Context, act: Extract<Act, { kind: 'press' }>): Promise<void> {
    const button = this.#buttons.get(act.actionId);
    const value = button && readValue(button, act.value);
    if (!button || value === undefined) {
      const verbs = this.#features.flatMap(feature => feature.verbs);
      return ctx.answer(oldButtonWords(act.actionId, verbs, this.#deps.settings.commandRoot));
    }
    await button.run(ctx, { value: await withCurrentID(this.#deps, value), picked: act.picked, form: act.form });
  }

  async #submit(ctx: Context, { modal: id, state, filled }: Extract<Act, { kind: 'form' }>): Promise<void> {
    const form = this.#findForm(id, state);
    if (!form) return ctx.answer(anotherVersion);
    const checked = form.modal.check(filled, form.state, { settings: this.#deps.settings, now: ctx.now });
    if ('problems' in checked) throw new Error(`The form ${id} was acknowledged and then found wrong`);
    await form.modal.submit(ctx, checked.value, await withCurrentID(this.#deps, form.state));
  }

  async #useShortcut(ctx: Context, { id, message }: Extract<Act, { kind: 'shortcut' }>): Promise<void> {
    const shortcut = this.#shortcuts.find(each => each.id === id);
    if (shortcut?.kind === 'global') return shortcut.run(ctx);
    if (shortcut && message) return shortcut.run(ctx, message);
    await ctx.answer(unknownShortcut);
  }

  /** Carries out a draft. Its key is the draft's, so two presses have one effect; below the key of its message, so an edit finds it. */
  async #resume(ctx: ActContext, id: string, draft: Draft, incidentID: string): Promise<void> {
    const { delivery } = ctx;
    switch (draft.kind) {
      case 'command': {
        const plan = this.#planCommand(draft, incidentID);
        if ('words' in plan) return ctx.answer(plan.words);
        const above = draft.message === undefined ? '' : `${draft.message}/`;
        const key = `${above}draft/${id}/${incidentID}`;
        return this.#take(ctx.but({ delivery: { ...delivery, key, act: draft } }), plan.run, plan.access);
      }
      case 'form': {
        const form = this.#findForm(draft.modal, draft.state);
        return this.#take(ctx.but({ delivery: { ...delivery, act: draft } }), again =>
          form
            ? again.openForm(form.modal, form.state, draft.filled, draft.offered, true)
            : again.answer(anotherVersion),
        );
      }
      case 'message': {
        const act = { kind: 'shortcut', id: draft.shortcut, message: draft.message } as const;
        return this.#take(ctx.but({ delivery: { ...delivery, act } }), again => this.#useShortcut(again, act));
      }
      case 'held':
        return this.#take(ctx, async again => {
          const kind = this.#deps.kindOf(draft.intent);
          if (!kind) throw new Error(`There is no intent ${draft.intent}`);
          await again.answer(await questionWords(id, kind, kind.payload.parse(draft.payload)));
        });
    }
  }

  /** A form that this version has, with its state; undefined when it is from another version. */
  #findForm(id: string, state: unknown): { modal: Modal; state: unknown } | undefined {
    const modal = this.#modals.get(id);
    const parsed = modal?.state.safeParse(state);
    return modal && parsed?.success ? { modal, state: parsed.data } : undefined;
  }

  #begin(delivery: Delivery, reply: Reply, turn: Turn): ActContext {
    const person = toUnknown(delivery.actor, this.#deps.slack);
    const resume = this.#resume.bind(this);
    return new ActContext(this.#deps, { delivery, reply, turn, person, isHere: false, resume });
  }
}

/** The menu on the cards of earlier versions. Choosing an entry presses the button of that id, with the value of the row's block id. */
const cardMenu = 'card.menu';

/** The buttons of the greeting: the label of each, and the command that it types. */
const firstSteps = [
  ['Declare an incident', 'declare'],
  ['List incidents', 'list'],
  ['Help', 'help'],
] as const;

const lines = [
  '*Hello, I am Muster: I run incidents.*',
  'Write to me as you would type a command, without the slash: `declare checkout is down`, or `note rolled back to v41`.',
  'In an incident’s channel, `/note …` or a mention of me does the same, and `help` shows what else there is.',
];

/**
 * Greets a person who writes to the bot for the first time; returns whether it did. A greeting that Slack does not take is not worth
 * losing the answer for.
 */
async function greet(ctx: Context): Promise<boolean> {
  const { deps, actor, location, key, now, log } = ctx;
  try {
    if (!(await deps.greetings.isFirst(actor, now))) return false;
    const rows = firstSteps.map(async ([label, text]) => {
      const draft = await deps.drafts.keep(actor, { kind: 'command', root: 'mention', text }, key, now);
      return actions([pressable(resumeButton, { draft, incidentID: '' }, { label })]);
    });
    const text = lines.join('\n');
    const words = { text, blocks: [section(text), ...(await Promise.all(rows))] };
    await tellPerson(deps.slack, { userId: actor.userId, location }, words, { unsure: 'directly', log });
    return true;
  } catch (error) {
    log.warn({ reason: slackReason(error) }, 'greeting: could not greet a person');
    return false;
  }
}

/*
 * Words about buttons, forms and shortcuts that another version of Muster left in Slack.
 */

/** For a form that this version cannot read. */
const anotherVersion = sentence(
  'That form is from another version of Muster, so nothing was done. Open it again and fill it in once more.',
);
/** For an entry of a menu that this version does not have. */
const unknownShortcut = sentence(
  'That shortcut is from another version of Muster. Your Muster administrator must update the app’s manifest.',
);

/** The value of a button; undefined when another version made it. */
function readValue(button: Button, json: string): unknown {
  try {
    return button.value.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/**
 * Answers a press on a button that this version does not have. It names the command that does the same: the ids of buttons begin with its
 * noun and verb.
 */
function oldButtonWords(actionId: string, verbs: readonly Verb[], commandRoot: string): Words {
  const [noun = '', verb = ''] = actionId.split('.');
  const ofNoun = verbs.filter(each => each.noun === noun);
  const same = ofNoun.find(each => each.verb === verb);
  const [any] = ofNoun;
  const root = any ? rootOf(any, commandRoot) : commandRoot;
  const instead = same
    ? `Type ${code(`/${root} ${verb}`, 60)} instead.`
    : `${code(`/${root} help`, 60)} lists the commands that do the same.`;
  return sentence(`That button is from another version of Muster, so nothing was done. ${instead}`);
}

const done = 'I had already run that command, so your edit changed nothing.';

/**
 * Answers a person who edited a message that was a command. An edit never runs again: the verb corrects the effect of the first,
 * or the person is offered the new command. `first` is the key of the delivery that brought it.
 */
async function answerEdit(ctx: Context, plan: CommandPlan, first: string): Promise<void> {
  if ('words' in plan) return ctx.reject(done);
  if (await plan.correct(ctx, first)) return;
  const draft = ctx.draft && (await ctx.deps.drafts.keep(ctx.actor, ctx.draft, ctx.key, ctx.now));
  const text = `${done} Press the button if you want the new one done too.`;
  const button = pressable(resumeButton, { draft: draft ?? '', incidentID: '' }, { label: 'Run the new one' });
  await ctx.answer({ text, blocks: [section(text), actions([button]), ...typedBack(ctx.draft)] });
}

/** Tells the person that their act failed: why, and how to go on, with the words they typed. Logs faults that they cannot fix. */
export async function answerError(ctx: Context, error: unknown): Promise<void> {
  const { draft } = ctx;
  const id = draft && (await keepDraft(ctx, draft));
  if (isRpcError(error)) {
    const isTrouble = worthRetrying(error);
    ctx.log[isTrouble ? 'warn' : 'info']({ err: error }, 'api: a read failed');
    await ctx.answer(notBegunWords(explainRead(error, ctx.deps.settings.apiName), { draft, id }, isTrouble));
    return;
  }
  if (error instanceof NotRegistered) {
    await ctx.answer(notBegunWords(error.mrkdwn, { draft, id }, error.isPending));
    return;
  }
  if (error instanceof NotIdentified) {
    await ctx.answer(notBegunWords(notIdentified, { draft, id }, true));
    return;
  }
  if (error instanceof NotAllowed) {
    await ctx.answer(notBegunWords(error.message, { draft, id }, false));
    return;
  }
  if (error instanceof NotVisible) {
    await ctx.answer(notBegunWords(error.mrkdwn, { draft, id }, false));
    return;
  }
  if (isUnavailable(error)) {
    ctx.log.warn({ err: error }, 'database: away during a request');
    await ctx.answer(notBegunWords(isFull(error) ? diskFull : databaseAway, { draft, id }, true));
    return;
  }
  const reference = randomBytes(4).toString('hex');
  ctx.log.error({ err: error, reference, slack: slackRefusal(error) }, 'request: failed because of a bug in Muster');
  await ctx.answer(notBegunWords(apology(reference).text, { draft, id }, false));
}

const notIdentified = 'Slack does not tell me right now who you are, so nothing was changed. Try again in a moment.';

const databaseAway =
  'Muster’s database cannot be reached, so your change may or may not have happened. Look at `/incident status` when it is back, and try again if your change is missing.';

const diskFull =
  'The disk of Muster’s database is full, so your change may or may not have happened. Tell your Muster administrator to make room, then look at `/incident status` and try again if it is missing.';

/** Keeps what was typed for a request that failed. A failure to do so is not worth losing the answer for. */
async function keepDraft(ctx: Context, draft: Draft): Promise<string | undefined> {
  try {
    return await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
  } catch (error) {
    ctx.log.error({ err: error }, 'drafts: could not keep what was typed');
    return undefined;
  }
}
