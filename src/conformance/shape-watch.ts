import type { Transport } from '../client/transport.ts';
import type { Rule } from './check.ts';
import { officialShapes } from './official-shapes.ts';

/** Something in an answer that breaks an official client. */
interface ShapeFault {
  readonly rule: Rule;
  readonly words: string;
}

/** Checks the successes that pass through a transport. */
export interface ShapeWatch {
  readonly transport: Transport;
  /** The number of successes of an operation. */
  seen(operation: string): number;
  /** The first fault of each rule. */
  faults(operation: string): readonly ShapeFault[];
}

/**
 * Holds every success to what the official clients can read (docs/api-rules.md A1). Our own client reads leniently and would
 * not notice. That `heroImagePath` is always there is our decision, because newer servers dropped it.
 */
export function watchShapes(inner: Transport): ShapeWatch {
  const seen = new Map<string, number>();
  const faults = new Map<string, ShapeFault[]>();
  const look = (operation: string, body: string) => {
    const shape = officialShapes[operation];
    if (shape === undefined) return;
    seen.set(operation, (seen.get(operation) ?? 0) + 1);
    const known = faults.get(operation) ?? [];
    for (const fault of findFaults(shape, body)) {
      if (!known.some(each => each.rule === fault.rule)) known.push(fault);
    }
    faults.set(operation, known);
  };
  return {
    async transport(request) {
      const response = await inner(request);
      const operation = /\/([A-Za-z]+\.[A-Za-z]+)$/.exec(request.path)?.[1];
      if (operation !== undefined && response.status === 200) look(operation, response.body);
      return response;
    },
    seen: operation => seen.get(operation) ?? 0,
    faults: operation => faults.get(operation) ?? [],
  };
}

function findFaults(shape: (typeof officialShapes)[string], body: string): ShapeFault[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [{ rule: 'required', words: 'expected JSON; got something else' }];
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map(issue => ({
    rule: issue.path.at(-1) === 'heroImagePath' ? 'ours' : 'required',
    words: `${issue.path.join('.')}: ${issue.message}`,
  }));
}
