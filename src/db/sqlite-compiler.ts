import { type LimitNode, SqliteAdapter, SqliteQueryCompiler, ValueNode } from 'kysely';
import { toStorable } from './storable.ts';

/** The driver itself lets one statement or transaction write at a time, and reads beside it. */
export class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Writes statements in SQLite's own tongue. */
export class Compiler extends SqliteQueryCompiler {
  /** Writes a limit out: SQLite plans a statement anew whenever a value for its limit is bound, which takes longer than running it. */
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`);
    else super.visitLimit(node);
  }

  protected override addParameter(parameter: unknown): void {
    super.addParameter(toStorable(parameter));
  }
}
