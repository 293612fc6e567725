/** Whether work ends within that many milliseconds; it goes on otherwise. Throws what it throws in time. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(timeout.resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of work that ends within that many milliseconds; throws when it does not, and it goes on. */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  if (await within(ms, work)) return work;
  throw new Error(`It took longer than ${ms} ms.`);
}
