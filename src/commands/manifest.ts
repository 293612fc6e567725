import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample, addSettings, readOptions } from './options.ts';

/** `muster manifest`. */
export function register(program: Command, { terminal }: Host): void {
  const manifest = program
    .command('manifest')
    .description('print the manifest from which Slack makes the app')
    .option('--url <address>', 'HTTP mode: the address under which Slack reaches Muster; without it, Socket Mode', '');
  addSettings(manifest, ['COMMAND_ROOT']).action(async ({ url }: { url: string }, command: Command) => {
    const { COMMAND_ROOT: commandRoot } = readOptions(command, ['COMMAND_ROOT']);
    const { toManifest } = await import('../bot/manifest.ts');
    const { features } = await import('../bot/features.ts');
    const { stringify } = await import('yaml');
    const made = toManifest(features, { commandRoot, publicUrl: url.replace(/\/+$/, '') });
    terminal.print(stringify(made, { lineWidth: 120 }));
  });
  addExample(manifest, 'muster manifest', 'muster manifest --url https://muster.example.com');
}
