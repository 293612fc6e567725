import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { ifSet, means, requiredText, text } from './fields.ts';

/** The most bytes of a path to shorten (docs/api-rules.md B). */
export const maxShortPath = 8192;

/** Short addresses for long paths (docs/short-url-api.md). */
export const ShortUrls = {
  create: defineEndpoint({
    httpMethod: 'POST',
    path: '/api/short-urls',
    summary: 'Shorten a path of the service.',
    effect: 'create',
    access: 'Viewer',
    input: z.object({
      path: means(
        requiredText().meta({ maxLength: maxShortPath }),
        'The path to shorten, relative to the root of the service, with its query; at most 8 KiB. It has no slash at its beginning.',
      ),
      uid: means(ifSet(text()), 'The uid to give it, of letters, digits, hyphens and underscores. Empty: one is made.'),
    }),
    output: z.object({
      uid: means(text(), 'The uid of the short address.'),
      url: means(text(), 'The whole short address.'),
    }),
    errors: ['conflict'],
  }),
  goto: defineEndpoint({
    httpMethod: 'GET',
    path: '/goto/:uid',
    redirects: true,
    summary: 'Follow a short address: answers 302 with the full one, which is `location` here.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ uid: means(requiredText(), 'The uid of the short address.') }),
    output: z.object({ location: means(text(), 'The whole address that it leads to.') }),
    errors: ['not_found'],
  }),
} as const;
