import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample } from './options.ts';

/** `muster openapi`. */
export function register(program: Command, { terminal }: Host): void {
  const openapi = program
    .command('openapi')
    .description('print the description of the API (OpenAPI 3.1)')
    .action(async () => {
      const { toOpenApi } = await import('../contract/openapi.ts');
      terminal.print(`${JSON.stringify(toOpenApi(), null, 2)}\n`);
    });
  addExample(openapi, 'muster openapi > openapi.json');
}
