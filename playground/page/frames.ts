/** The name of the frame of the second person, beside the first. */
export const secondFrame = 'second';

/** Whether this page stands beside another one. */
export const isBesideAnother = (): boolean => window !== window.top;
