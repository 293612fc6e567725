/**
 * How long a test that starts processes or drives a browser waits for an effect, in milliseconds. It waits no longer than the effect takes, so
 * this limits one that never comes, and not a machine that is busy.
 */
export const patience = 300_000;
