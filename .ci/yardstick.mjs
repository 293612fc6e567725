import { DatabaseSync } from 'node:sqlite';

/*
 * CPU seconds that this machine takes for a fixed piece of work of the kind that the tests do: JSON, SQLite, maps, expressions. The quickest
 * of some rounds counts. `.ci/count.mjs` holds prices of files against those of another machine by it.
 */

const rounds = 7;

function work() {
  const database = new DatabaseSync(':memory:');
  database.exec('create table item (id integer primary key, body text)');
  const insert = database.prepare('insert into item values (?, ?)');
  const select = database.prepare('select body from item where id = ?');
  const counts = new Map();
  for (let id = 0; id < 60_000; id += 1) {
    const item = { id, text: 'x'.repeat(id % 40), more: [id, { key: String(id) }] };
    insert.run(id, JSON.stringify(item));
    const { text, more } = JSON.parse(select.get(id).body);
    const key = /x{3,}$/.test(text) ? text : `${more[0] % 5000}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  database.close();
}

let quickest = Number.POSITIVE_INFINITY;
for (let round = 0; round < rounds; round += 1) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  quickest = Math.min(quickest, (user + system) / 1e6);
}
console.log(quickest.toFixed(3));
