import { Component, type ComponentType, h, type VNode } from 'preact';

/** A component that is drawn anew only when one of its properties is another object or value. */
export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys(next) as (keyof P)[];
      return names.length !== Object.keys(this.props).length || names.some(name => next[name] !== this.props[name]);
    }
    override render(): VNode<P> {
      return h(Inner, this.props as P) as VNode<P>;
    }
  };
}
