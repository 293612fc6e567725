import type { DirectFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import type { TransportRequest } from '../../../../src/client/transport.ts';
import { type Act, Acts, bears } from '../people/acts.ts';
import { Talks } from '../people/talks.ts';
import { Errand } from '../replica.ts';
import type { Setting } from '../setting.ts';
import type { SlackCall } from '../trouble/slack-line.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { Presence } from './presence.ts';
import { Readers } from './readers.ts';
import { Unasked } from './unasked.ts';

/** A message to one person that was not sent while anything of theirs was being done. */
export interface Loose {
  readonly at: number;
  readonly userId: string;
  readonly text: string;
}

const brokeInside = /Something broke inside Muster|Muster itself failed/;

/** What is told of what waited; whatever somebody does just then is not what it answers. */
const toldLater = /^(☑️ What you asked for earlier is done|This is the answer to what you asked for earlier):/;

/** Sees what people do and what comes of it, and which belongs to which. */
export class Witness {
  readonly acts = new Acts();
  readonly loose: Loose[] = [];
  /** What people read of a failure inside Muster. */
  readonly failuresRead: { readonly at: number; readonly text: string }[] = [];
  /** Until when Slack or the API asked to be left alone, in milliseconds since the epoch. */
  askedPauseUntil = 0;
  /** When the API told a process of an incident, in milliseconds since the epoch. */
  readonly reads: { readonly incidentID: string; readonly at: number }[] = [];
  /** Records of the bot's log of level error. */
  readonly errors: { readonly at: number; readonly replica: string; readonly line: string }[] = [];
  /** When processes stood still, in milliseconds since the epoch. One without a replica held the database, and so all of them. */
  readonly standstills: { readonly replica: string | undefined; readonly from: number; readonly until: number }[] = [];
  /** When channels were archived, in milliseconds since the epoch. */
  readonly archivings: { readonly channelId: string; readonly at: number }[] = [];
  /** While days pass, in milliseconds since the epoch. */
  readonly days = { from: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  /** What was not true in a channel five minutes after it had opened. */
  readonly stale: string[] = [];
  /** Who may see what, and what they were shown. */
  readonly readers: Readers;
  /** What was said in rooms, and what people did with it. */
  readonly talks: Talks;
  /** Who and what could be reached when. */
  readonly presence: Presence;
  /** What Muster asked and reminded people of. */
  readonly unasked = new Unasked();
  readonly #slack: DirectFakeSlack;
  readonly #time: VirtualTime;
  readonly #actOfUrl = new Map<string, Act>();
  /** The form in front of each person. */
  readonly #forms = new Map<string, string>();

  constructor(setting: Setting) {
    this.#slack = setting.slack;
    this.#time = setting.time;
    this.presence = new Presence(setting);
    this.talks = new Talks(() => setting.time.now());
    this.readers = new Readers(setting, this.acts, this.presence);
  }

  /** Slack gave the bot an address for answers about an act. */
  gave(responseUrl: string, act: Act): void {
    this.#actOfUrl.set(responseUrl, act);
  }

  /** An intent or a delivery was stored, by whoever is at it; one that is taken up later is known by its delivery. */
  stored(table: 'bot_intent' | 'bot_delivery', key: string): void {
    const here = this.#here();
    if (table === 'bot_delivery') {
      here?.deliveries.add(key);
      return;
    }
    // The outcome of a declaration brings it along, whatever is being done just then.
    if (key.endsWith('/furnish')) return;
    const isOf = ({ deliveries }: Act) => [...deliveries].some(each => key.startsWith(`${each}/`));
    const act = here ?? this.acts.all.find(isOf);
    if (act && !act.intents.has(key)) act.intents.set(key, this.#time.now());
  }

  /** Slack or the API asked for a pause. */
  pauseAsked(seconds: number): void {
    this.askedPauseUntil = Math.max(this.askedPauseUntil, this.#time.now() + seconds * 1000);
  }

  /** The API answered a read of Muster's. */
  read({ path, body = '{}' }: TransportRequest): void {
    if (!path.endsWith('.GetIncident')) return;
    this.reads.push({ incidentID: String(JSON.parse(body).incidentID), at: this.#time.now() });
  }

  /** Something took effect in Slack: it may be an answer to somebody. `clock` is what the clock of its sender showed. */
  happened(call: SlackCall, clock: number): void {
    const { method, args, url } = call;
    const at = this.#time.now();
    this.unasked.happened(call, at, clock);
    const text = String(args.text ?? '');
    const here = this.#here();
    const read = JSON.stringify(args);
    if (brokeInside.test(read)) this.failuresRead.push({ at, text: read });
    this.#show(call);
    if (method === 'conversations.archive') this.archivings.push({ channelId: String(args.channel), at });
    if (method === 'response_url') {
      this.#actOfUrl.get(url)?.answers.push({ at, text });
      return;
    }
    if (method === 'views.open') {
      here?.answers.push({ at, text: 'a form' });
      return;
    }
    if (method === 'views.publish') {
      if (here?.userId === args.user_id) here?.answers.push({ at, text: 'the home tab' });
      return;
    }
    const userId = method === 'chat.postEphemeral' ? args.user : method === 'chat.postMessage' ? args.channel : '';
    if (typeof userId !== 'string' || !userId.startsWith('U')) return;
    this.talks.shown(userId, text);
    // What was typed is given back in blocks.
    const shown = `${text} ${JSON.stringify([args.blocks, args.attachments])}`;
    const marked = this.acts.all.filter(act => act.userId === userId && bears(shown, act.mark));
    const isHere =
      !toldLater.test(text) &&
      here?.userId === userId &&
      // A list names the incidents of other acts.
      (here.kind === 'look' || marked.length === 0 || bears(shown, here.mark) || bears(shown, here.incident));
    for (const act of new Set(isHere ? [here, ...marked] : marked)) act.answers.push({ at, text });
    if (!isHere) this.loose.push({ at, userId, text });
  }

  /** Tells the readers who was shown what. */
  #show({ method, args, url }: SlackCall): void {
    const { metadata: _, ...shown } = args;
    const text = JSON.stringify(shown);
    if (method === 'response_url') {
      const act = this.#actOfUrl.get(url);
      if (act) this.readers.show(act.userId, text);
      return;
    }
    const { channel, user } = args;
    if (method === 'files.completeUploadExternal') this.#showFiles(String(args.files));
    else if (method === 'views.open') this.#showForms();
    else if (method === 'views.publish') this.readers.show(String(args.user_id), text);
    else if (method === 'chat.postEphemeral') this.readers.show(String(user), text);
    else if (typeof channel !== 'string') return;
    else if (channel.startsWith('U')) this.readers.show(channel, text);
    else this.readers.showInChannel(channel, text);
  }

  #showFiles(uploaded: string): void {
    for (const { id } of JSON.parse(uploaded) as readonly { readonly id: string }[]) {
      const file = this.#slack.file(id);
      if (file) this.readers.showInChannel(file.channelId, file.content);
    }
  }

  #showForms(): void {
    for (const { id, view } of this.#slack.people) {
      if (!view || this.#forms.get(id) === view.id) continue;
      this.#forms.set(id, view.id);
      this.readers.show(id, JSON.stringify(view.payload));
    }
  }

  /** The act that what happens now is about, when it is known. */
  #here(): Act | undefined {
    const { doer } = this.#time;
    return doer instanceof Errand ? doer.act : undefined;
  }
}
