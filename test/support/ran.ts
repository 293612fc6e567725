import { Session } from 'node:inspector';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { root } from './docs/files.ts';

/**
 * Watches which files run, by V8's count of calls, until the test ends. The function that it returns yields the files of ours in which
 * a function ran since its last call, as `src/app.ts`, in order.
 */
export function watchFiles(): () => readonly string[] {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  onTestFinished(() => {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  });
  return () => {
    let ran: readonly string[] = [];
    // The session is of this thread, so it answers before `post` returns.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      ran = result
        .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
        .map(({ url }) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url).replaceAll(sep, '/'))
        .filter(path => path.startsWith('src/'));
    });
    return [...new Set(ran)].toSorted();
  };
}
