import { compileMemberPath, toValueText } from '../../contract/json-path.ts';
import { quote } from '../call/errors.ts';

/** The value of a parameter that stands in the body: `json(commonLabels.severity)` (docs/api-rules.md A12). */
const inBody = /^\s*json\((.*)\)\s*$/su;

/**
 * The parameters with the values that the body has for them: a path of RFC 9535 that names one member, with or without `$.` before it.
 * Texts, numbers and `true` and `false` are values, and for `labels` a list of texts is one. Returns a sentence for the first that has
 * no value: nothing is guessed, and no incident is ever called `json(…)`.
 */
export function withBodyValues(
  parameters: URLSearchParams,
  body: string,
): URLSearchParams | { readonly problem: string } {
  const asked = [...parameters].some(([, value]) => inBody.test(value));
  if (!asked) return parameters;
  const parsed = parse(body);
  const filled = new URLSearchParams();
  for (const [name, value] of parameters) {
    const path = inBody.exec(value)?.[1];
    const found = path === undefined ? { text: value } : parsed && read(parsed.value, path.trim(), name === 'labels');
    if (found === undefined) return { problem: `${name} is ${quote(value)}, and the body is no JSON` };
    if ('problem' in found) return { problem: `${name} is ${quote(value)}, and ${found.problem}` };
    filled.append(name, found.text);
  }
  return filled;
}

function parse(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

function read(
  body: unknown,
  path: string,
  mayBeList: boolean,
): { readonly text: string } | { readonly problem: string } {
  const compiled = compileMemberPath(path);
  if ('problem' in compiled) return compiled;
  const value = compiled(body);
  if (value === undefined) return { problem: 'the body has nothing there' };
  const texts = mayBeList && Array.isArray(value) ? value.map(toValueText) : [toValueText(value)];
  if (texts.some(each => each === undefined)) return { problem: 'the body has no text there' };
  return { text: texts.join(',') };
}
