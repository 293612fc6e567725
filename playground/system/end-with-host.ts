/*
 * Loaded into the bot's process before anything else (`--import`). The bot ends when its host is gone, however the host ended: a
 * bot that is left behind would keep its database file from the next one.
 */

process.once('disconnect', () => process.exit(1));
process.channel?.unref();
