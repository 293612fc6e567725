import { expect, test } from 'vitest';
import { channelName } from '../../src/bot/incident/room/make.ts';
import { timelineEmoji } from '../../src/config/formats.ts';

test.each([
  ['हिन्दी में समस्या', 'inc-1-हिन्दी-में-समस्या'],
  ['ระบบล่ม', 'inc-1-ระบบล่ม'],
  ['தமிழ் பிழை', 'inc-1-தமிழ்-பிழை'],
  ['Zażółć gęślą', 'inc-1-zazołc-gesla'],
])('a channel keeps the signs of its words: %s', (title, name) => {
  expect(channelName('inc-', { incidentID: '1', title })).toBe(name.normalize('NFC'));
});

test('reactions are known by the name that Slack gives them', () => {
  const names = [...timelineEmoji.parse('thumbsup:note,:pencil::task,poop:update,eyes:note').keys()];
  expect(names).toEqual(['+1', 'memo', 'hankey', 'eyes']);
});
