import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, by a part of their path, each after those that take longer. The end of `.ci/run` says how long each takes. */
const longest = [
  'soak/simulate/broken/later',
  'soak/simulate/simulate',
  'soak/kills/',
  'soak/playground/system',
  'soak/simulate/broken/acts',
  'soak/simulate/busy-minute',
  'soak/drill/move',
  'soak/chaos/',
  'soak/simulate/broken/rooms',
  'soak/sight/',
  'soak/renderers/',
  'soak/playground/',
  'stories/sight-everywhere',
];

/** Begins the longest files of a group before all others, whatever project they are of, so that no group ends with one of them alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex(each => moduleId.includes(each));
      return at < 0 ? longest.length : at;
    };
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const usual = await super.sort(specifications);
    return usual.toSorted((one, other) => group(one) - group(other) || rank(one) - rank(other));
  }
}
