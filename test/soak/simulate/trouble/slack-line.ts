import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { History } from '../witness/history.ts';
import { type LineFault, type LookupRefusal, type SlackRefusal, slackRefusals } from './faults.ts';
import type { Life } from './life.ts';

/** A call to Slack that took effect. */
export interface SlackCall {
  /** Its name, or `response_url`. */
  readonly method: string;
  readonly url: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the way from one replica to Slack needs. */
export interface SlackLine {
  readonly name: string;
  readonly life: Life;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly history: History;
  /** Slack itself. */
  readonly answer: typeof fetch;
  /** What goes wrong with the next call. */
  readonly fault: () => LineFault | undefined;
  /** What Slack refuses now without reason. */
  readonly refusal: () => SlackRefusal | undefined;
  /** Why Slack does not say now who somebody is. */
  readonly lookupRefusal: () => LookupRefusal | undefined;
  /** Lets somebody else have a channel of that name, and for good. */
  readonly takeName: (name: string) => void;
  /** How often a call takes effect. */
  readonly effects: (call: SlackCall) => number;
  /** What is heard of Slack's answer. */
  readonly heard: (call: SlackCall, body: string) => string;
  /** Told of what took effect, whether or not the replica hears of it. */
  readonly onEffect: (call: SlackCall) => void;
  /** Told of every pause that Slack asks for, in seconds. */
  readonly onAskedPause: (seconds: number) => void;
}

/** Methods that change nothing. */
const reads =
  /^(auth\.test|users\.|conversations\.(info|history|replies|list|members)|chat\.getPermalink|bookmarks\.list)/;

/** The `fetch` of one replica: it takes time, goes wrong, and ends with the replica's life. */
export function openSlackLine(line: SlackLine): typeof fetch {
  const { life, random, time, history, name } = line;
  return (input, init) =>
    life.hear(async () => {
      const url = String(input);
      const method = /\/api\/([\w.]+)$/.exec(url)?.[1] ?? 'response_url';
      const args = toArgs(init?.body);
      const isWrite = !reads.test(method);
      const fault = line.fault();
      const refusal = fault ? undefined : refusalOf(line, method, args);
      await abortable(time.pause(random.whole(10, 250)), init?.signal);
      const ask = async () => {
        const call = { method, url, args };
        const times = line.effects(call);
        if (times === 0) return toJson({ ok: true, ts: args.ts, channel: args.channel });
        if (times > 1) await line.answer(input, init);
        const response = await line.answer(input, init);
        const text = await response.text();
        if (response.ok && !text.startsWith('{"ok":false')) line.onEffect(call);
        return new Response(line.heard(call, text), { status: response.status, headers: response.headers });
      };
      const answer = () => (isWrite ? life.write(ask) : ask());
      if (isWrite || fault || refusal)
        history.add(name, `Slack ${method} ${brief(args)}: ${fault ?? refusal ?? 'asked'}`);
      if (refusal === 'name_taken') line.takeName(String(args.name));
      else if (refusal) return toJson({ ok: false, error: refusal });
      if (!fault) {
        const response = await answer();
        await time.pause(random.whole(1, 60));
        return response;
      }
      return go(fault, answer, line, init?.signal);
    });
}

async function go(
  fault: LineFault,
  answer: () => Promise<Response>,
  { random, time, onAskedPause }: SlackLine,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  switch (fault) {
    case 'refused':
      throw broken('ECONNREFUSED');
    case 'unresolvable':
      throw broken('ENOTFOUND');
    case 'stalled':
      if (random.chance(0.5)) await answer();
      await abortable(time.pause(3_600_000), signal);
      throw broken('ETIMEDOUT');
    case '429': {
      const seconds = random.whole(1, 30);
      onAskedPause(seconds);
      return toJson({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': String(seconds) });
    }
    case '429 without Retry-After':
      return toJson({ ok: false, error: 'ratelimited' }, 429);
    case '500':
      if (random.chance(0.3)) await answer();
      return new Response('kaput', { status: 500 });
    case 'html':
      return new Response('<html>maintenance</html>', { status: 200, headers: { 'content-type': 'text/html' } });
    case 'half a body': {
      const half = (await (await answer()).text()).slice(0, 9);
      return new Response(
        new ReadableStream({
          start: controller => {
            controller.enqueue(Buffer.from(half));
            controller.error(new TypeError('terminated'));
          },
        }),
      );
    }
    case 'answer lost':
      await answer();
      throw broken('ECONNRESET');
  }
}

/** As the fetch of Node fails. */
function broken(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

function refusalOf(line: SlackLine, method: string, args: SlackCall['args']): SlackRefusal | LookupRefusal | undefined {
  return method === 'users.info' ? line.lookupRefusal() : refusedNow(line.refusal(), method, args);
}

function refusedNow(
  refusal: SlackRefusal | undefined,
  method: string,
  args: SlackCall['args'],
): SlackRefusal | undefined {
  if (!refusal || method === 'response_url' || reads.test(method)) return undefined;
  // Of a person Slack does not say that a channel is gone.
  const isToPerson = String(args.channel ?? '').startsWith('U');
  if (isToPerson && refusal !== 'ratelimited') return undefined;
  // Nobody has more than three channels of one name.
  if (refusal === 'name_taken' && /-(?:[4-9]|\d\d)$/.test(String(args.name))) return undefined;
  const methods: readonly string[] = slackRefusals[refusal];
  return methods.length === 0 || methods.includes(method) ? refusal : undefined;
}

function abortable<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function toJson(body: object, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** The arguments of a call, structured ones parsed. */
function toArgs(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string' && !(body instanceof URLSearchParams)) return {};
  const text = String(body);
  if (text.startsWith('{')) return JSON.parse(text);
  return Object.fromEntries(new URLSearchParams(text));
}

function brief(args: Readonly<Record<string, unknown>>): string {
  const where = args.channel ?? args.name ?? '';
  return [where, args.user ?? '', JSON.stringify(args.text ?? '').slice(0, 140)]
    .filter(part => part && part !== '""')
    .join(' ');
}
