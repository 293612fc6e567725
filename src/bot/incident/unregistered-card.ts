import type { KnownBlock } from '@slack/types';
import { context, facts, header, mention, said, section } from '../text/blocks.ts';
import { when } from './card-view.ts';
import type { Sketch } from './make-room.ts';

/** What the card shows of an incident that is declared while the API cannot be reached. */
export function sketchFacts(sketch: Sketch, about: { hint: boolean; channelId: string }): KnownBlock[] {
  const labels = sketch.labels.map(label => `\`${said(label.replaceAll('`', "'"), 60)}\``);
  return [
    header(`${sketch.isDrill ? '[Drill] ' : ''}${sketch.title}`),
    facts([
      ['Status', ':hourglass_flowing_sand: Not yet registered'],
      ['Severity', said(sketch.severity, 60)],
      ['Declared', when(sketch.declaredAt)],
      ['Labels', labels.slice(0, 10).join(' ')],
    ]),
    ...(about.hint
      ? [
          section(
            'The incident API cannot be reached. `/note add`, `/task add`, `/role assign`, `/incident severity` and *Add to timeline* work here all the same: they are kept, and added in order when the API answers. `/incident status` shows what waits.',
          ),
        ]
      : []),
    context(
      [`Declared by ${mention(sketch.declaredBy)}`, ...(about.channelId ? [`<#${about.channelId}>`] : [])].join(' · '),
    ),
  ];
}

/** What notifications and screen readers say of that card. */
export function sketchLine(sketch: Sketch): string {
  return `Incident not yet registered (${sketch.isDrill ? 'drill, ' : ''}${said(sketch.severity, 40)}): ${said(sketch.title, 300)}`;
}
