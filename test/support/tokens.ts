import type { AccessRole } from '../../src/contract/define.ts';

/** Tokens that every opened service knows, by role. */
export const tokens = {
  Viewer: 'glsa_viewer_0123456789',
  Editor: 'glsa_editor_0123456789',
  Admin: 'glsa_admin_01234567890',
} as const satisfies Record<AccessRole, string>;
