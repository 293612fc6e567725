/** What the bot's database says of work: intents, deliveries and leases. */
export interface JournalView {
  readonly intents: readonly {
    readonly id: string;
    readonly kind: string;
    readonly incident: string;
    readonly state: string;
    readonly attempts: number;
    /** Unix milliseconds. */
    readonly createdAt: number;
    readonly error?: string;
  }[];
  readonly deliveries: readonly {
    readonly id: string;
    readonly what: string;
    readonly state: string;
    readonly createdAt: number;
  }[];
  readonly leases: readonly { readonly name: string; readonly holder: string; readonly until: number }[];
}
