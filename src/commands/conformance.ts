import { randomBytes } from 'node:crypto';
import { conforms, toText } from '../conformance/report.ts';
import { runChecks } from '../conformance/run.ts';

/** What `muster conformance` was called with. */
export interface ConformanceCommand {
  readonly url: string;
  readonly token: string;
  readonly viewerToken?: string;
  readonly pluginId?: string;
  readonly only?: string;
  readonly person?: string;
  readonly json?: true;
  readonly strict?: true;
}

/** `muster conformance`: prints the table, or the report as JSON; true when the server passes. */
export async function conformanceCommand(
  print: (text: string) => void,
  options: ConformanceCommand,
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
    signal,
  });
  const strict = options.strict ?? false;
  const isConforming = conforms(report, strict);
  print(
    options.json
      ? `${JSON.stringify({ conforms: isConforming, strict, ...report }, null, 2)}\n`
      : toText(report, strict),
  );
  return isConforming;
}
