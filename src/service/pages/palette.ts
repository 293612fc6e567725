/** The colours of pictures; those of style.css, once for each background. */
export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  /** By rank of severity (marks.ts): the unknown one, then from the worst to the mildest. */
  readonly severities: readonly [string, string, string, string, string];
  readonly phases: { readonly before: string; readonly noticed: string; readonly response: string };
  /** The colour of text on the colours of phases. */
  readonly onPhase: string;
  readonly lanes: readonly [string, string, string, string, string];
}

/** The palettes by theme. */
export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    text: '#1c2333',
    quiet: '#5d6880',
    line: '#e1e5ee',
    surface: '#ffffff',
    accent: '#3b5bdb',
    severities: ['#98a1b3', '#d6336c', '#e8590c', '#e0a100', '#2b8a9e'],
    phases: { before: '#f0b8a4', noticed: '#f3d58a', response: '#a9c2f5' },
    onPhase: '#1c2333',
    lanes: ['#d6336c', '#7048c6', '#2b8a5b', '#2b8a9e', '#3b5bdb'],
  },
  dark: {
    text: '#e6e9f2',
    quiet: '#9aa5bd',
    line: '#2c3446',
    surface: '#161b26',
    accent: '#8ea8ff',
    severities: ['#78829a', '#f06595', '#ff922b', '#f2c744', '#5cc3d6'],
    phases: { before: '#a3563b', noticed: '#8f7324', response: '#3f5ca8' },
    onPhase: '#f4f6fb',
    lanes: ['#f06595', '#b197fc', '#63d296', '#5cc3d6', '#8ea8ff'],
  },
};

/** The font of pictures. It has no quotes, because the picture library does not escape attributes. */
export const fontFamily = 'system-ui, Roboto, Arial, sans-serif';
