import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Place, SigningApp } from '../../support/signed-command.ts';
import type { Ended } from './bystander-process.ts';

/** Somebody who reads an incident and types commands, and takes the time. */
export interface Bystander extends AsyncDisposable {
  /** How long each answer has taken so far, in milliseconds. */
  readonly waits: readonly number[];
  /** What was answered otherwise than it should be. */
  readonly failures: readonly string[];
}

/**
 * Declares an incident, reads it and types a command every 50 ms, each on a connection of its own, and in a process of its own:
 * nothing that a test does stops the clock. Slack must know `where`: a late answer goes there.
 */
export async function startBystander(origin: string, app: SigningApp, where: Place): Promise<Bystander> {
  const { apiUrl, appId, signingSecret, teamId } = app;
  const given = [origin, JSON.stringify({ apiUrl, appId, signingSecret, teamId }), JSON.stringify(where)];
  const child = fork(new URL('./bystander-process.ts', import.meta.url), given, { execArgv: [] });
  const ended = once(child, 'exit');
  const waits: number[] = [];
  const failures: string[] = [];
  child.on('message', ({ wait, failure }: Ended) => {
    waits.push(wait);
    if (failure) failures.push(failure);
  });
  await Promise.race([once(child, 'message'), ended.then(() => Promise.reject(new Error('the bystander ended')))]);
  return {
    waits,
    failures,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
