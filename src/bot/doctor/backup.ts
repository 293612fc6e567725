import { type LastBackup, readBackup } from '../../db/backups.ts';
import type { Database } from '../../db/database.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';

const hour = 3_600_000;
/** A copy each night is never older than a day and a bit. The alert MusterBackupOld has the same limit. */
const oldest = 26 * hour;

const stops = 'what was done since then comes back no more if the database or its disk is lost';

/** Whether the database was copied in the last day. */
export async function checkBackup(database: Pick<Database, 'as'>, now: Date): Promise<Finding> {
  return judgeBackup(await readBackup(database), now);
}

/** What the age of the last copy means. */
export function judgeBackup(last: LastBackup | undefined, now: Date): Finding {
  const subject = 'backup';
  const fix = 'docs/operating.md, MusterBackupOld: let bin/backup.sh run each night, and look why it fails.';
  if (!last) return unknown(subject, 'The database is of an older Muster, which noted no copies.', stops, fix);
  const age = now.getTime() - last.since.getTime();
  if (last.bytes !== undefined) {
    const found = `The last copy is ${toWords(age)} old and has ${(last.bytes / 1e6).toFixed(1)} MB.`;
    return age > oldest ? failing(subject, found, stops, fix) : ok(subject, found);
  }
  if (age <= oldest) return ok(subject, 'There is no copy yet, and the database is younger than a day.');
  const found = `“muster backup” has made no copy, and the database is ${toWords(age)} old. Copies made in another way are not known here.`;
  return unknown(
    subject,
    found,
    'everything that Muster keeps comes back no more if the database or its disk is lost',
    fix,
  );
}

function toWords(age: number): string {
  const hours = Math.max(0, Math.floor(age / hour));
  if (hours < 1) return 'less than an hour';
  if (hours < 48) return hours === 1 ? '1 hour' : `${hours} hours`;
  return `${Math.floor(hours / 24)} days`;
}
