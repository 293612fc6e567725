import type { StoryClock } from '../../playground/story-system.ts';
import type { BotProcess, BotProcessOptions } from '../../playground/system/bot-process.ts';
import { startMuster } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/operations/log.ts';

/** The bot in this process, on the clock of a story. It is stopped where a process would be killed. */
export function prepareBotOn(clock: StoryClock): (options: BotProcessOptions) => BotProcess {
  return ({ settings, deadlines, onState, onError }) => {
    let muster: Awaited<ReturnType<typeof startMuster>> | undefined;
    const log = openLog('error', { write: line => onError(line) });
    const stop = async () => {
      await muster?.[Symbol.asyncDispose]();
      muster = undefined;
      onState('stopped', undefined);
    };
    const start = async () => {
      muster = await startMuster(readConfig(settings), log, {
        ...{ deadlines, clock: clock.now, bootTimeNow: () => performance.now() },
      });
      onState('running', muster.url);
    };
    return {
      get state() {
        return muster === undefined ? 'stopped' : 'running';
      },
      get url() {
        return muster?.url;
      },
      start,
      kill: stop,
      hurry: async () => await muster?.bot.idle(),
      [Symbol.asyncDispose]: stop,
    };
  };
}
