/** The place of a node in the query's text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Properties compared as a whole, without regard to case. */
export const exactProperties = ['status', 'severity', 'label', 'role', 'createdby', 'user.email'] as const;

/** Properties that hold a part of the text, without regard to case. */
export const partialProperties = ['title', 'context'] as const;

/** Properties with a range of times. */
export const rangeProperties = ['declared', 'started', 'resolved', 'ended'] as const;
/** One of {@link rangeProperties}. */
export type RangeProperty = (typeof rangeProperties)[number];

/** A value that must be equal. */
export interface ExactTerm {
  readonly kind: 'exact';
  readonly property: (typeof exactProperties)[number];
  readonly value: string;
  readonly at: Span;
}

/** A severity that there is: the present one, or the worst that the incident ever had. */
export interface SeverityTerm {
  readonly kind: 'severity';
  readonly isWorst: boolean;
  readonly value: string;
  readonly at: Span;
}

/** Conditions that only people's words have (typed.ts). */
export type TypedTerm =
  /** A word as people mean it: in the title, in a label, as the incident's number, or as a name of a person with a role. */
  | { readonly kind: 'word'; readonly value: string; readonly at: Span }
  /** Words in the notes of a timeline. */
  | { readonly kind: 'notes'; readonly value: string; readonly at: Span }
  /** A person by name, in the role of that name; undefined: in any. */
  | {
      readonly kind: 'holder';
      readonly role: string | undefined;
      readonly value: string;
      readonly at: Span;
    }
  | SeverityTerm;

/** A single condition. */
export type Term =
  | ExactTerm
  /** A text that must occur. A bare word or a quoted text is a part of the title. */
  | {
      readonly kind: 'partial';
      readonly property: (typeof partialProperties)[number];
      readonly value: string;
      readonly at: Span;
    }
  /** `isdrill:true`. */
  | { readonly kind: 'drill'; readonly value: boolean; readonly at: Span }
  /** `field:<slug>:<value>`: a label whose key is the slug. */
  | {
      readonly kind: 'field';
      readonly slug: string;
      readonly value: string;
      readonly at: Span;
    }
  /** A span of time, both ends included, in microseconds since 1970; a missing end is open. */
  | {
      readonly kind: 'range';
      readonly property: RangeProperty;
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly at: Span;
    }
  | TypedTerm;

/** All must hold; `role` and `user.email` terms of one such list hold together on one assignment. */
export interface And {
  readonly kind: 'and';
  readonly items: readonly Node[];
  readonly at: Span;
}

/** Anything a query is made of. */
export type Node =
  | Term
  | And
  | { readonly kind: 'or'; readonly items: readonly Node[]; readonly at: Span }
  | { readonly kind: 'not'; readonly item: Node; readonly at: Span };

/** A whole query: the AND of its terms. Without any it matches every incident. */
export type Query = And;
