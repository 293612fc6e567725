import { z } from 'zod';
import { defineEndpoint } from './define.ts';
import { ifSet, requiredText, text } from './fields.ts';

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
    input: z.object({ path: requiredText().meta({ maxLength: maxShortPath }), uid: ifSet(text()) }),
    output: z.object({ uid: text(), url: text() }),
    errors: ['conflict'],
  }),
  goto: defineEndpoint({
    httpMethod: 'GET',
    path: '/goto/:uid',
    redirects: true,
    summary: 'Follow a short address: answers 302 with the full one, which is `location` here.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ uid: requiredText() }),
    output: z.object({ location: text() }),
    errors: ['not_found'],
  }),
} as const;
