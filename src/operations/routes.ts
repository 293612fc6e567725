import type { RequestListener } from 'node:http';
import type { Bot } from '../bot/bot.ts';
import type { Service } from '../service/service.ts';
import { answerStarting, notFound, toStartingResponse } from './answers.ts';
import type { Application } from './serve.ts';

/** What answers requests. Each part comes while Muster starts; there may never be a service. */
interface Receivers {
  readonly bot: Pick<Bot, 'handle' | 'alerts' | 'pages' | 'sync'> | undefined;
  readonly service: Service | undefined;
}

/**
 * Routes a request: those of Slack, the webhooks of the API, alerts and the answers of pagers go straight to the bot, everything else to
 * the service. The sender of a request that comes before its receiver is there must send it again. `takesSlack`: Slack sends requests, not
 * in Socket Mode; `hasService`: there will be a service.
 */
export function createRoutes(
  parts: Receivers,
  { takesSlack, hasService }: { readonly takesSlack: boolean; readonly hasService: boolean },
): Application {
  return {
    take: (request, response) => {
      const { bot, service } = parts;
      const path = request.url?.split('?', 1)[0] ?? '';
      const isPost = request.method === 'POST';
      const isSlacks = path === '/slack/events' && takesSlack;
      const hook = findHook(path);
      if (isPost && !bot && (isSlacks || path === '/hooks/incident' || hook)) {
        request.resume();
        answerStarting(response);
        return true;
      }
      const door = hook ? bot?.[hook] : bot && doorOf(bot, path);
      // The door answers another method with the one to use.
      if (door && (isPost || hook)) {
        door(request, response);
        return true;
      }
      // Others change incidents by POST alone; a client that only reads costs one look in a second.
      if (service && isPost) response.once('finish', () => bot?.sync.nudge());
      return service?.fastPath(request, response) ?? false;
    },
    fetch: async request => {
      if (parts.service) return await parts.service.fetch(request);
      if (hasService) return toStartingResponse();
      return Response.json(notFound, { status: 404 });
    },
  };
}

/** The door that has an address for each of those who send. */
function findHook(path: string): 'alerts' | 'pages' | undefined {
  if (path.startsWith('/hooks/alerts/')) return 'alerts';
  return path.startsWith('/hooks/pages/') ? 'pages' : undefined;
}

function doorOf(bot: NonNullable<Receivers['bot']>, path: string): RequestListener | undefined {
  if (path === '/slack/events') return bot.handle;
  return path === '/hooks/incident' ? bot.sync.hook : undefined;
}
