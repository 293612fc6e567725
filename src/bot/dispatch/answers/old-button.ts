import { code, sentence, type Words } from '../../text/blocks.ts';
import { rootOf, type Verb } from '../feature/feature.ts';

/**
 * Answers a press on a button that this version does not have. It names the command that does the same: the ids of buttons begin with its
 * noun and verb.
 */
export function oldButtonWords(actionId: string, verbs: readonly Verb[], commandRoot: string): Words {
  const [noun = '', verb = ''] = actionId.split('.');
  const ofNoun = verbs.filter(each => each.noun === noun);
  const same = ofNoun.find(each => each.verb === verb);
  const [any] = ofNoun;
  const root = any ? rootOf(any, commandRoot) : commandRoot;
  const instead = same
    ? `Type ${code(`/${root} ${verb}`, 60)} instead.`
    : `${code(`/${root} help`, 60)} lists the commands that do the same.`;
  return sentence(`That button is from another version of Muster, so nothing was done. ${instead}`);
}
