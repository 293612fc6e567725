import { fork } from 'node:child_process';
import type { AttackName } from './attacker.ts';

/** How the requests of an attack ended: by a status, by the end of their connection, or not at all. */
export interface AttackOutcome {
  readonly answers: Readonly<Record<string, number>>;
  readonly closed: number;
  readonly unanswered: number;
}

/** Attacks a port, for a length as attacker.ts counts it, from a process of its own, so that the attacker's work does not slow the bystander's clock. */
export function attack(name: AttackName, port: number, length: number): Promise<AttackOutcome> {
  const child = fork(new URL('./attacker.ts', import.meta.url), [name, String(port), String(length)], { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('message', (outcome: AttackOutcome) => resolve(outcome));
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`the attacker ended with ${code}`)));
  });
}
