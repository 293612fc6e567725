import { type JsonObject, toText } from '../protocol/json.ts';
import { invalidPayload, SlackError } from '../protocol/slack-error.ts';

/** The arguments of one Web API call: a JSON body as it is, or form fields whose objects are JSON text. */
export class Arguments {
  readonly raw: JsonObject;

  constructor(raw: JsonObject) {
    this.raw = raw;
  }

  /** A text argument; `undefined` when it is absent or empty, which Slack treats alike. */
  text(name: string): string | undefined {
    const value = toText(this.raw[name]);
    return value === '' ? undefined : value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      throw invalidPayload('invalid_arguments', [`missing required field: ${name} [json-pointer:/${name}]`]);
    }
    return value;
  }

  flag(name: string): boolean {
    return ['true', '1'].includes(toText(this.raw[name]));
  }

  /** A whole number between 1 and `max`. */
  count(name: string, fallback: number, max: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (!Number.isInteger(number) || number < 1) throw new SlackError('invalid_limit');
    return Math.min(number, max);
  }

  /** A structured argument. Throws the refusal `error` when its text is no JSON. */
  json(name: string, error: string): unknown {
    const value = this.raw[name];
    if (typeof value !== 'string') return value ?? undefined;
    if (value === '') return undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw new SlackError(error);
    }
  }

  /** A list, written with commas or as JSON. */
  list(name: string): string[] {
    const value = this.raw[name];
    const items = Array.isArray(value)
      ? value.map(toText)
      : toText(value)
          .replace(/^\[|\]$|"/g, '')
          .split(',');
    return items.map(item => item.trim()).filter(item => item !== '');
  }
}
