import { bears } from '../people/acts.ts';
import { peopleOf } from '../people/rooms.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** Nobody was shown anything of an incident that they may not see, and nothing of it stands where they read it. */
export function nobodySaw({ world }: Evidence): readonly Complaint[] {
  return [...world.witness.readers.complaints, ...standing(world)];
}

/** Announcements of incidents that somebody who reads them may not see. */
function standing({ slack, settings, acts, witness }: Evidence['world']): readonly Complaint[] {
  const incidents = [...new Set(acts.all.filter(act => act.kind === 'declare').map(act => act.mark))];
  return incidents.flatMap(incident => {
    const outsider = peopleOf({ slack }).colleagues.find(each => !witness.readers.maySee(each, incident));
    const isAnnounced = slack.channel(settings.announceChannel).messages.some(({ text }) => bears(text, incident));
    return outsider && isAnnounced ? [`${incident} is still announced, and ${outsider.name} may not see it`] : [];
  });
}
