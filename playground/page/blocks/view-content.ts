import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { clientIssue, fieldsOf, initialValues, type StateValues } from '../../fake-slack/block-kit/fields.ts';
import type { FormContent } from '../../workspace/protocol.ts';
import { Blocks } from './blocks.ts';
import { type ElementUse, ElementUseContext } from './element-use.ts';
import { ErrorsContext } from './input-block.ts';
import { useSurroundings } from './surroundings.ts';

/**
 * The body of a modal or home tab. In a modal it is a form with the id `formId`, which a submit button elsewhere may send. What
 * is typed stays while the app sends new versions of the view. `onBusy` hears whether a submission is on its way.
 */
export function ViewContent(props: {
  readonly view: FormContent;
  readonly formId: string;
  readonly onBusy?: (isBusy: boolean) => void;
}): VNode {
  const { view, formId, onBusy } = props;
  const { act } = useSurroundings();
  const [typed, setTyped] = useState<StateValues>({});
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState('');
  const form = useRef<HTMLFormElement>(null);
  // Effects after the paint would take back the issues of a form that is sent at once, and the focus of who goes on at once.
  useLayoutEffect(() => {
    setIssues({});
    setProblem('');
  }, [view.hash]);
  const values = useMemo(() => merge(view, typed), [view, typed]);
  const errors = { ...view.errors, ...issues };
  const [tries, setTries] = useState(0);
  const wrong = Object.keys(errors).join();
  useLayoutEffect(() => {
    if (wrong !== '') form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [wrong, tries]);
  const place = { view: view.id };
  const use: ElementUse = {
    values,
    keep: (blockId, actionId, value) =>
      setTyped(before => ({ ...before, [blockId]: { ...before[blockId], [actionId]: value } })),
    tell: async (blockId, actionId, value) => {
      const answer = await act({ do: 'use', place, blockId, actionId, value });
      setProblem(answer.problem ?? '');
    },
  };
  const isSending = useRef(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending.current) return;
    const found = issuesOf(view, values);
    setIssues(found);
    setTries(before => before + 1);
    setProblem('');
    if (Object.keys(found).length > 0) return;
    isSending.current = true;
    onBusy?.(true);
    try {
      const answer = await act({ do: 'submit', view: view.id, values });
      setProblem(answer.problem ?? '');
    } catch {
      setProblem('The playground did not answer. What you typed is still here. Try again.');
    } finally {
      isSending.current = false;
      onBusy?.(false);
    }
  };
  const failure = problem || view.failure;
  const body = html`<div class="view-content">
    <div role="alert">${failure !== undefined && failure !== '' && html`<div class="failure">${failure}</div>`}</div>
    <${ErrorsContext.Provider} value=${errors}>
      <${ElementUseContext.Provider} value=${use}><${Blocks} blocks=${view.blocks} /></${ElementUseContext.Provider}>
    </${ErrorsContext.Provider}>
  </div>`;
  if (view.type === 'home') return body;
  return html`<form id=${formId} ref=${form} noValidate onSubmit=${submit}>${body}</form>`;
}

/** What the person typed wins over what the server holds, where the field is still of that kind. */
function merge(view: FormContent, typed: StateValues): StateValues {
  const before: StateValues = {};
  for (const { blockId, actionId } of fieldsOf(view.blocks)) {
    const value = typed[blockId]?.[actionId] ?? view.values[blockId]?.[actionId];
    if (value !== undefined) before[blockId] = { ...before[blockId], [actionId]: value };
  }
  return initialValues(view.blocks, before);
}

/** What Slack's client finds wrong before it sends a modal: block id → words. */
function issuesOf(view: FormContent, values: StateValues): Record<string, string> {
  return Object.fromEntries(
    fieldsOf(view.blocks).flatMap(field => {
      const issue = clientIssue(field, values[field.blockId]?.[field.actionId]);
      return issue === undefined ? [] : [[field.blockId, issue]];
    }),
  );
}
