import { writeAlertLife } from './alert-life-page.ts';
import { writeCommands } from './commands-page.ts';
import { writeOnPostgres, writeOnSqlite } from './kubernetes-manifests.ts';
import { writeOperations } from './operations-page.ts';
import { writeSecretsGuard } from './secrets-guard-page.ts';
import { writeSettings } from './settings-page.ts';

/** The pages that are made from the code, and the manifests that are made from the chart: each path, and the text that belongs there. */
export const pages: readonly { readonly path: string; write(): string }[] = [
  { path: 'docs/alert-life.md', write: writeAlertLife },
  { path: 'docs/commands.md', write: writeCommands },
  { path: 'docs/operations.md', write: writeOperations },
  { path: 'docs/secrets-guard.md', write: writeSecretsGuard },
  { path: 'docs/settings.md', write: writeSettings },
  { path: 'deploy/kubernetes/postgres.yaml', write: writeOnPostgres },
  { path: 'deploy/kubernetes/sqlite.yaml', write: writeOnSqlite },
];
