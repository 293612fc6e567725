import { z } from 'zod';
import { umbrella } from '../../grammar/words.ts';
import { type Button, defineButton } from '../feature/feature.ts';

/** Shows the status of the channel’s incident, or the ways to one. */
export const hereButton = defineButton({
  id: 'muster.help.here',
  label: 'Status of this incident',
  value: z.object({}),
  reads: true,
  run: ctx => ctx.resume(ctx.key, { kind: 'command', root: umbrella, text: '' }, ''),
});

/** Shows the help on everything. */
export const allCommandsButton = defineButton({
  id: 'muster.help.all',
  label: 'All commands',
  value: z.object({}),
  reads: true,
  run: ctx => ctx.resume(ctx.key, { kind: 'command', root: 'mention', text: 'help all' }, ''),
});

/** All of the buttons. They belong to no feature. */
export const helpButtons: readonly Button[] = [hereButton, allCommandsButton] as Button[];
