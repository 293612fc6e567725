import type { Slack } from '../../slack/clients.ts';
import {
  editPost,
  findPost,
  type Post,
  postOnce,
  type SoughtPost,
  type Standing,
  withdrawPost,
} from '../../slack/post-once.ts';
import type { Words } from '../../text/blocks.ts';

/* The messages that show the present of an incident: its card, its announcement, and what comes next. */

/** Posts one of them, once, and returns its time. Throws Slack's refusals. */
export function postBoard(slack: Slack, post: Post): Promise<string> {
  return postOnce(slack, post);
}

/** The time of one that a process may have posted before it died; undefined when it does not stand. Throws Slack's refusals. */
export function findBoard(slack: Slack, post: SoughtPost): Promise<string | undefined> {
  return findPost(slack, post);
}

/** Gives one of them other words. Throws Slack's refusals. */
export function editBoard(slack: Slack, standing: Standing, words: Words): Promise<void> {
  return editPost(slack, standing, words);
}

/** Takes one of them back from readers who may know nothing of the incident. Throws what passes. */
export function withdrawBoard(slack: Slack, standing: Standing): Promise<void> {
  return withdrawPost(slack, standing);
}
