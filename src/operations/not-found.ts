/** What an address says that leads nowhere. */
export const notFound = { message: 'Not found', error: 'Not found' };
