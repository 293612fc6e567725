import type { Command } from 'commander';
import { features } from '../bot/features.ts';
import { type ManifestOptions, writeManifest } from '../bot/manifest.ts';
import { trimEnd } from '../trim-end.ts';
import { addExample, addSettings, type Host, readOptions } from './command.ts';

/** `muster manifest`. */
export function register(program: Command, { terminal }: Host): void {
  const manifest = program
    .command('manifest')
    .description('print the manifest from which Slack makes the app')
    .option('--url <address>', 'HTTP mode: the address under which Slack reaches Muster; without it, Socket Mode', '');
  manifest.addOption(
    manifest
      .createOption('--tier <tier>', 'base: only what Muster cannot run incidents without; full: everything it can use')
      .choices(['base', 'full'])
      .default('full'),
  );
  addSettings(manifest, ['COMMAND_ROOT']).action(
    async ({ url, tier }: { url: string; tier: NonNullable<ManifestOptions['tier']> }, command: Command) => {
      const { commandRoot } = readOptions(command, ['COMMAND_ROOT']);
      terminal.print(writeManifest(features, { commandRoot, publicUrl: trimEnd(url, /\//), tier }));
    },
  );
  addExample(manifest, 'muster manifest', 'muster manifest --url https://muster.example.com --tier base');
}
