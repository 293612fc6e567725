import { writeFileSync } from 'node:fs';

/** A reporter of vitest. It stores what .ci/count.mjs needs of each test file, as JSON in the file that TEST_REPORT names. */
export default class Reporter {
  #begun = new Map();
  #ended = new Map();

  onTestModuleQueued(module) {
    this.#begun.set(module.id, Date.now());
  }

  onTestModuleEnd(module) {
    this.#ended.set(module.id, Date.now());
  }

  onTestRunEnd(modules, errors) {
    const files = modules.map(module => {
      const tests = [...module.children.allTests()];
      const names = state => tests.filter(each => each.result().state === state).map(each => each.fullName);
      return {
        project: module.project.name,
        file: module.relativeModuleId,
        // Milliseconds since the epoch. A file that no worker ran has none.
        begun: this.#begun.get(module.id),
        ended: this.#ended.get(module.id),
        // CPU seconds, those of the processes that it started among them.
        cpu: module.meta().cpu ?? 0,
        isBroken: module.state() === 'failed' && names('failed').length === 0,
        passed: names('passed'),
        failed: tests.filter(each => each.result().state === 'failed').map(withError),
        skipped: [...names('skipped'), ...names('pending')],
        again: tests
          .filter(each => each.result().state === 'passed' && each.result().errors?.length > 0)
          .map(withError),
        notes: tests.filter(each => each.meta().note).map(each => ({ name: each.fullName, note: each.meta().note })),
      };
    });
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ files, unhandled: errors.length }));
  }
}

/** A test and the first error of it. */
function withError(test) {
  const error = test.result().errors?.[0];
  return { name: test.fullName, error: error?.stack ?? error?.message ?? '' };
}
