import type { Command } from 'commander';
import { toOpenApi } from '../contract/openapi.ts';
import { addExample, type Host } from './command.ts';

/** `muster openapi`. */
export function register(program: Command, { terminal }: Host): void {
  const openapi = program
    .command('openapi')
    .description('print the description of the API (OpenAPI 3.1)')
    .action(async () => {
      terminal.print(`${JSON.stringify(toOpenApi(), null, 2)}\n`);
    });
  addExample(openapi, 'muster openapi > openapi.json');
}
