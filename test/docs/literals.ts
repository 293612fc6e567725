/** A string or template in code: the pieces between its values, the code of the values, and a little of what stands before. */
export interface CodeText {
  readonly before: string;
  readonly pieces: readonly string[];
  readonly values: readonly string[];
}

/** After one of these, a slash begins a regular expression. */
const beforeRegExp = /(?:^|[(,=:[!&|?{};>]|\breturn)\s*$/;

/** The strings and templates of TypeScript, those within templates too, in the order of their ends. */
export function literalsOf(code: string): readonly CodeText[] {
  const found: CodeText[] = [];
  let at = 0;

  const readString = (quote: string): void => {
    const start = at;
    let text = '';
    for (at += 1; code[at] !== quote; at += 1) {
      if (code[at] === '\\') at += 1;
      text += code[at] ?? '';
    }
    at += 1;
    found.push({ before: code.slice(Math.max(0, start - 120), start), pieces: [text], values: [] });
  };

  const readTemplate = (): void => {
    const start = at;
    const pieces: string[] = [];
    const values: string[] = [];
    let text = '';
    for (at += 1; code[at] !== '`'; at += 1) {
      if (code.startsWith('${', at)) {
        const from = at + 2;
        at = from;
        readCode('}');
        pieces.push(text);
        values.push(code.slice(from, at));
        text = '';
      } else if (code[at] === '\\') {
        at += 1;
        text += code[at] === 'n' ? '\n' : code[at];
      } else text += code[at];
    }
    at += 1;
    found.push({ before: code.slice(Math.max(0, start - 120), start), pieces: [...pieces, text], values });
  };

  /** Reads up to the closing brace, or to the end of the code. */
  const readCode = (end: '}' | ''): void => {
    let depth = 0;
    let isClass = false;
    while (at < code.length) {
      const sign = code[at] ?? '';
      if (code.startsWith('//', at)) at = lineEnd(at);
      else if (code.startsWith('/*', at)) at = code.indexOf('*/', at) + 2;
      else if (sign === "'" || sign === '"') readString(sign);
      else if (sign === '`') readTemplate();
      else if (sign === '/' && beforeRegExp.test(code.slice(Math.max(0, at - 40), at))) {
        for (at += 1; code[at] !== '/' || isClass; at += 1) {
          if (code[at] === '\\') at += 1;
          else if (code[at] === '[') isClass = true;
          else if (code[at] === ']') isClass = false;
        }
        at += 1;
      } else {
        if (sign === end && depth === 0) return;
        if (sign === '{') depth += 1;
        if (sign === '}') depth -= 1;
        at += 1;
      }
    }
  };
  const lineEnd = (from: number) => {
    const found = code.indexOf('\n', from);
    return found < 0 ? code.length : found;
  };

  readCode('');
  return found;
}
