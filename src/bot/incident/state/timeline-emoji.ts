/** What a reaction in an incident's room does with the message: a note, a task, or a note that is marked as important. */
export type EmojiMeaning = 'note' | 'task' | 'update';
