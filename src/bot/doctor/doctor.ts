import { isDamaged } from '../../db/failure.ts';
import { withTimeout } from '../text/timeout.ts';
import type { DoctorDeps } from './checks.ts';
import { whyNotOpened } from './database.ts';
import { type Check, type Finding, unknown } from './finding.ts';

/** Opens the doctor, who looks at the whole installation. */
export function openDoctor(deps: DoctorDeps) {
  const running = new Map<boolean, Promise<readonly Finding[]>>();
  return {
    /**
     * Every line of the report, what fails first. `typed`: a person says that they typed each command that had not arrived. Never
     * throws. One examination runs at a time; those who ask meanwhile share it.
     */
    examine: ({ typed }: { readonly typed: boolean }) => {
      const shared = running.get(typed) ?? examine(deps, typed).finally(() => running.delete(typed));
      running.set(typed, shared);
      return shared;
    },
  };
}

async function examine(deps: DoctorDeps, typed: boolean): Promise<readonly Finding[]> {
  const { toChecks } = await import('./checks.ts'); // here: no start needs the checks
  const findings = await Promise.all(toChecks(deps, typed).map(check => runCheck(check, deps)));
  return findings.flat().toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
}

/** Runs one check. A check that throws or takes too long is a line of the report too. */
async function runCheck({ name, run }: Check, { installation, log }: DoctorDeps): Promise<readonly Finding[]> {
  try {
    return await withTimeout(installation.deadlines.doctor.all, run());
  } catch (err) {
    log.warn({ err, check: name }, 'doctor: a check could not be made');
    if (isDamaged(err)) return [whyNotOpened(err, name)];
    const fix = 'Fix what fails above, then run the doctor again. The log has the reason.';
    return [unknown(name, 'It could not be looked at.', 'perhaps nothing', fix)];
  }
}

const order = ['failing', 'unknown', 'ok'];
