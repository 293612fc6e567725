/** A source of chance that a seed decides: the same seed, the same numbers (sfc32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number, stream = '') {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = [...stream].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 0x9e3779b9);
    for (let round = 0; round < 15; round += 1) this.unit();
  }

  /** In [0, 1). */
  unit(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1));
  }

  /** True this often. */
  chance(share: number): boolean {
    return this.unit() < share;
  }

  /** One of them. Throws when there is none. */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.whole(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  /** So many bytes. */
  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.whole(0, 255)));
  }
}
