/** What a search expression may ask of an incident. Texts are compared whatever their case. */
export interface Searched {
  readonly title: string;
  /** Texts that a property may equal, by the property: `status`, `severity`, `label`, `isdrill`, `createdby`, `role`, `user.email`. */
  readonly equals: Readonly<Record<string, readonly string[]>>;
  /** Texts that a property may be a part of: `context`. */
  readonly contains: Readonly<Record<string, readonly string[]>>;
  /** Moments in RFC 3339, `""` for none: `declared`, `started`, `resolved`, `ended`. */
  readonly moments: Readonly<Record<string, string>>;
}

type Test = (incident: Searched) => boolean;

const token = /\s*(?:(\()|(\))|((?:[\w.]+:)*)(?:"([^"]*)"|'([^']*)'|([^\s()"']*)))/y;

/**
 * Reads a search expression of `property:value` terms, which must all hold, with `or(…)` and `any(…)` of which one must. A word without a
 * property is a part of the title: the documents do not say so, and clients send it. Throws an Error with a reason.
 */
export function readSearch(expression: string): Test {
  let at = 0;
  const peek = () => {
    token.lastIndex = at;
    return token.exec(expression);
  };
  const list = (isInside: boolean): readonly Test[] => {
    const tests: Test[] = [];
    for (;;) {
      const found = peek();
      if (!found || found[0].trim() === '') {
        if (isInside) throw new Error('unbalanced parenthesis');
        return tests;
      }
      at += found[0].length;
      const [, open, close, prefix = '', double, single, bare = ''] = found;
      if (close !== undefined) {
        if (!isInside) throw new Error('unexpected parenthesis');
        return tests;
      }
      if (open !== undefined) throw new Error('unexpected parenthesis');
      const isGroup = prefix === '' && /^(?:or|any)$/i.test(bare) && expression[at] === '(';
      if (isGroup) {
        at += 1;
        const among = list(true);
        tests.push(incident => among.some(test => test(incident)));
      } else {
        const [property = '', ...inner] = prefix.split(':').slice(0, -1);
        tests.push(toTest(property, [...inner, double ?? single ?? bare].join(':')));
      }
    }
  };
  const tests = list(false);
  if (expression.slice(at).trim() !== '') throw new Error('unbalanced quote');
  return incident => tests.every(test => test(incident));
}

function toTest(property: string, value: string): Test {
  const name = property.toLowerCase();
  const wanted = value.toLowerCase();
  switch (name) {
    case '':
    case 'title':
      return ({ title }) => title.toLowerCase().includes(wanted);
    case 'context':
      return ({ contains }) => (contains.context ?? []).some(each => each.toLowerCase().includes(wanted));
    case 'declared':
    case 'started':
    case 'resolved':
    case 'ended': {
      const [from = '', until = ''] = value.split(',').map(each => Date.parse(each));
      if (Number.isNaN(from) || Number.isNaN(until)) throw new Error(`bad range of ${name}`);
      return ({ moments }) => {
        const moment = Date.parse(moments[name] ?? '');
        return moment >= Number(from) && moment <= Number(until);
      };
    }
    case 'status':
    case 'severity':
    case 'label':
    case 'isdrill':
    case 'createdby':
    case 'role':
    case 'user.email':
      return ({ equals }) => (equals[name] ?? []).some(each => each.toLowerCase() === wanted);
    default:
      throw new Error(`unknown property "${property}"`);
  }
}
