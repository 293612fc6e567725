import type { CompiledQuery } from 'kysely';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { History } from '../witness/history.ts';
import { type DatabaseFault, type Span, strike } from './faults.ts';
import type { DatabaseLine } from './mortal-database.ts';

/** What the way from one replica to its database needs. */
export interface DatabaseLineOptions {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly history: History;
  readonly spans: readonly Span<DatabaseFault>[];
  /** Told of each intent and each delivery that was stored, by its key. */
  readonly onStored: (table: 'bot_intent' | 'bot_delivery', key: string) => void;
}

/** The codes that Postgres and Node give such failures. */
const codes: Readonly<Record<DatabaseFault, string>> = {
  busy: '55P03',
  failover: '25006',
  'connection dropped': '08006',
  'answer lost': '08006',
};

/** A way to the database on which statements take time and go wrong. */
export function openDatabaseLine(options: DatabaseLineOptions): DatabaseLine {
  const { name, time, random, history } = options;
  const fail = (fault: DatabaseFault, what: string) => {
    history.add(name, `database: ${fault}: ${what.slice(0, 60)}`);
    return Object.assign(new Error(`the database says: ${fault}`), { code: codes[fault] });
  };
  return {
    before: async query => {
      if (random.chance(0.3)) await time.pause(random.whole(0, 3));
      const fault = strike(options.spans, time.now(), random);
      if (fault && fault !== 'answer lost') throw fail(fault, query.sql);
    },
    committed: () => {
      const fault = strike(options.spans, time.now(), random);
      if (fault === 'answer lost') throw fail(fault, 'of a transaction');
    },
    written: query => {
      for (const table of ['bot_intent', 'bot_delivery'] as const) {
        const key = storedKey(table, query);
        if (key !== undefined) options.onStored(table, key);
      }
    },
  };
}

/** The key of the row that a statement adds to a table; undefined when it adds none. */
function storedKey(table: string, { sql, parameters }: CompiledQuery): string | undefined {
  const columns = new RegExp(`^insert into "${table}" \\(([^)]*)\\)`).exec(sql)?.[1]?.split(', ');
  const at = columns?.indexOf('"key"') ?? -1;
  return at < 0 ? undefined : String(parameters[at]);
}
