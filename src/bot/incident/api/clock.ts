/** How far the API's clock may be behind ours, in seconds. */
export const apiClockSkew = 60;
