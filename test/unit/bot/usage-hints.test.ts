import { expect, test } from 'vitest';
import { allVerbs } from '../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../src/bot/features.ts';
import { parseCommand } from '../../../src/bot/grammar/grammar.ts';
import { commandsOf, toManifest } from '../../../src/bot/manifest.ts';

const settings = { commandRoot: 'muster' };

interface Face {
  readonly command: string;
  readonly description: string;
  readonly usage_hint: string;
}

function faces(): readonly Face[] {
  const manifest = toManifest(features, { ...settings, publicUrl: '' }) as {
    readonly features: { readonly slash_commands: readonly Face[] };
  };
  return manifest.features.slash_commands;
}

test('Slack’s list shows for each command what it is for, and what to type behind it', () => {
  expect(faces().map(each => each.command)).toEqual(commandsOf(features, settings.commandRoot));
  for (const { description, usage_hint } of faces()) {
    expect(description).toMatch(/^[A-Z]\w+ [^,.]+(, [^,.]+)*$/);
    expect(description.length).toBeLessThan(50);
    expect(usage_hint).toMatch(/^\[.+ \| .+\]$/);
    expect(usage_hint.length).toBeLessThan(60);
  }
  expect(faces().find(each => each.command === '/incident')).toMatchObject({
    description: 'Run an incident',
    usage_hint: '[declare what is down | update | resolve]',
  });
});

test('each part of a hint, typed as it stands, is the command that it begins with', () => {
  const lines = faces().flatMap(({ command, usage_hint }) =>
    usage_hint
      .replace(/^\[|\]$/g, '')
      .split(' | ')
      .map(text => ({ command, text })),
  );
  expect(lines.length).toBeGreaterThan(14);
  for (const { command, text } of lines) {
    const parsed = parseCommand(allVerbs(features), { ...settings, root: command, text });
    expect([command, text, parsed.kind]).toEqual([command, text, text === 'help' ? 'help' : 'verb']);
  }
});
