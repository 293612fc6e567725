/** Bytes of the alerts of a body that are kept. A group of a thousand alerts has about so many. */
const maxAlerts = 1024 * 1024;

/** The member that says in a kept body how many of its alerts were left out. */
export const leftOut = 'alertsLeftOutByMuster';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const alertsName = Buffer.from('"alerts"');

/**
 * Reads a body of Alertmanager or Grafana while it streams, and keeps its head: all of its members, and of its list `alerts` the first
 * {@link maxAlerts} bytes. Alertmanager writes the key of the group behind its alerts, so the rest is read too, and its alerts are counted. A
 * body that is no JSON stays none.
 */
export class BodyHead {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The newest string of the outermost object, and whether it is the name of a member. */
  #word: number[] = [];
  #name = '';
  /** Depth 2 is inside the list of alerts. */
  #isInAlerts = false;
  #alertBytes = 0;
  #dropped = 0;
  #isDropping = false;

  /** The bytes of a chunk that are kept. */
  take(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const was = this.#isDropping;
      const end = this.#step(byte);
      if (this.#isInAlerts && !this.#isDropping) this.#alertBytes += 1;
      if (!was && this.#isDropping) kept.push(chunk.subarray(from, at));
      if (was && !this.#isDropping) from = at;
      if (end && this.#dropped > 0) {
        kept.push(chunk.subarray(from, at), Buffer.from(`,"${leftOut}":${this.#dropped}`));
        from = at;
      }
    }
    if (!this.#isDropping) kept.push(chunk.subarray(from));
    return kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
  }

  /** Follows one byte; returns whether it ends the outermost object. */
  #step(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInString = false;
      if (this.#depth === 1 && this.#word.length <= alertsName.length) this.#word.push(byte);
      return false;
    }
    switch (byte) {
      case quote:
        this.#isInString = true;
        if (this.#depth === 1) this.#word = [byte];
        return false;
      case colon:
        if (this.#depth === 1) this.#name = Buffer.from(this.#word).equals(alertsName) ? 'alerts' : '';
        return false;
      case comma:
        if (this.#depth === 1) this.#name = '';
        if (this.#isInAlerts && this.#depth === 2 && this.#alertBytes > maxAlerts) {
          this.#isDropping = true;
          this.#dropped += 1;
        }
        return false;
      case openList:
      case openObject:
        if (byte === openList && this.#depth === 1 && this.#name === 'alerts') this.#isInAlerts = true;
        this.#depth += 1;
        return false;
      case closeList:
      case closeObject:
        this.#depth -= 1;
        if (this.#depth === 1) {
          this.#isInAlerts = false;
          this.#isDropping = false;
        }
        return this.#depth === 0;
      default:
        return false;
    }
  }
}
