import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SlackState } from '../../../playground/fake-slack/fake-slack.ts';
import { type Landing, nameOf } from './landings.ts';

/** An act of a person on an incident that the landing acknowledged: its token stands on the timeline once, in the end. */
interface KeptAct {
  readonly incidentID: string;
  readonly token: string;
}

/** What a landing left when it was killed with open intents. */
export interface KeptLanding {
  /** When that was, RFC 3339. */
  readonly at: string;
  readonly acts: readonly KeptAct[];
  /** The title of an incident that it had yet to declare. */
  readonly title: string;
  readonly slack: SlackState;
}

/** A database of Muster's may be one of these. */
export type KeptEngine = 'sqlite' | 'postgres';

/** SQL, below a comment that has the rest as JSON. */
function pathOf(landing: Landing, engine: KeptEngine): string {
  return fileURLToPath(new URL(`databases/${nameOf(landing)}.${engine}.sql`, import.meta.url));
}

/** Whether a database of a landing is kept. */
export function isKept(landing: Landing, engine: KeptEngine): boolean {
  return existsSync(pathOf(landing, engine));
}

/** Keeps what a landing left. */
export async function keep(landing: Landing, engine: KeptEngine, sql: string, left: KeptLanding): Promise<void> {
  await writeFile(pathOf(landing, engine), `-- ${JSON.stringify(left)}\n${sql}`);
}

/** The SQL that makes the database that a landing left, and the rest of it. */
export async function readKept(landing: Landing, engine: KeptEngine): Promise<KeptLanding & { readonly sql: string }> {
  const sql = await readFile(pathOf(landing, engine), 'utf8');
  return { ...JSON.parse(sql.slice('-- '.length, sql.indexOf('\n'))), sql };
}
