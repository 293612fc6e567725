/** Whether `work` settles within `ms`. It is not cancelled. An error that it throws in time is rethrown. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(timeout.resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of `work`. Throws when it does not end within `ms`; it is not cancelled. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  if (await settlesWithin(ms, work)) return work;
  throw new Error(`It took longer than ${ms} ms.`);
}
