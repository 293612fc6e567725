import type { FakeSlack } from '../../playground/fake-slack/fake-slack.ts';

/** The next call of a Web API method waits until the test lets it go. */
export function holdNext(slack: FakeSlack, method: string) {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const until = () => {
    begun.resolve();
    return gate.promise;
  };
  slack.fail(method, { until });
  return {
    /** Resolves when Slack has got the call. */
    begun: begun.promise,
    go: gate.resolve,
  };
}
