import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { conforms, toText } from '../conformance/report.ts';
import { runChecks } from '../conformance/run.ts';
import { addExample, type Host } from './command.ts';

interface ConformanceOptions {
  readonly url: string;
  readonly token: string;
  readonly viewerToken?: string;
  readonly pluginId?: string;
  readonly only?: string;
  readonly person?: string;
  readonly json?: true;
  readonly strict?: true;
}

/** `muster conformance`: fails when the server does not conform. */
export function register(program: Command, host: Host): void {
  const conformance = program
    .command('conformance')
    .description(
      'check from outside whether a server answers this API; it declares drills there and cleans up what it can',
    )
    .requiredOption('--url <address>', 'the server: https://grafana.example.com, or a Muster');
  conformance
    .addOption(
      conformance
        .createOption('--token <token>', 'a token with the role Admin')
        .env('CONFORMANCE_TOKEN')
        .makeOptionMandatory(),
    )
    .addOption(
      conformance
        .createOption('--viewer-token <token>', 'a token with the role Viewer')
        .env('CONFORMANCE_VIEWER_TOKEN'),
    )
    .option('--plugin-id <id>', 'grafana-incident-app on older servers')
    .option('--only <service>', 'one service or group, such as TasksService or Dashboards')
    .option('--person <userID>', 'the person to whom the checks give roles; default: the owner of the token')
    .option('--strict', 'fail also on differences from Muster’s own decisions')
    .option('--json', 'print the report as JSON')
    .action(async (options: ConformanceOptions) => {
      const conforms = await checkServer(host, options, host.abortOnInterrupt());
      if (!conforms) host.setExitCode(1);
    });
  addExample(conformance, 'muster conformance --url https://grafana.example.com --token glsa_something');
}

/** Prints the report, as a table or as JSON. Resolves to whether the server conforms. */
async function checkServer(
  { deadlines, terminal }: Host,
  options: ConformanceOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const report = await runChecks({
    url: options.url,
    token: options.token,
    viewerToken: options.viewerToken,
    pluginID: options.pluginId,
    only: options.only,
    person: options.person,
    run: randomBytes(4).toString('hex'),
    deadlines,
    signal,
  });
  const strict = options.strict ?? false;
  const isConforming = conforms(report, strict);
  terminal.print(
    options.json
      ? `${JSON.stringify({ conforms: isConforming, strict, ...report }, null, 2)}\n`
      : toText(report, strict),
  );
  return isConforming;
}
