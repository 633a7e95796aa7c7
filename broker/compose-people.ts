/** Members and what is seen of them: their live streams, presence, and activity. */
import type { MemberName } from '#protocol/ids.ts';
import { type BrokerStreams, createBrokerStreams } from './broker-streams.ts';
import { type Activity, createActivity } from './features/activity/activity.service.ts';
import { entriesOf, readyFrame, resetFrame } from './features/activity/activity-frames.ts';
import { createActivityWatchers } from './features/activity/activity-watchers.ts';
import { createKinds, type Kinds } from './features/kinds/kinds.service.ts';
import { createMembers, type Members } from './features/members/members.service.ts';
import { createPresence, type PresenceService } from './features/presence/presence.service.ts';
import { createRuns, type Runs } from './features/runs/runs.service.ts';
import type { Foundation } from './foundation.ts';

export interface People {
  streams: BrokerStreams;
  members: Members;
  kinds: Kinds;
  presence: PresenceService;
  runs: Runs;
  activity: Activity;
  /** Ends the streams of a removed member and forgets its presence. */
  forgetMember(name: MemberName): void;
}

export function composePeople(foundation: Foundation): People {
  const { units, activityStore, config, newest, audit, expiries, onWriteDeferred, clock, log } = foundation;
  const streams = createBrokerStreams({ position: newest.seq, clock, expiries, log });
  const watchers = createActivityWatchers(streams.activity);
  const members = createMembers({ config, onPermissionsChanged: watchers.onPermissionsChanged });
  const kinds = createKinds({
    units,
    members,
    audit,
    onChanged: (name) => streams.announceChange('member', name, 'everyone'),
  });
  const { connections } = streams.team;
  const runs = createRuns({
    units,
    clock,
    expiries,
    members,
    audit,
    connections,
    onChanged: (name) => presence.announce(name),
    onTaken(name) {
      kinds.noteRun(name);
      presence.runBegan(name);
    },
    onWriteDeferred,
  });
  const presence = createPresence({
    units,
    clock,
    members,
    connections,
    runOf: runs.shown,
    onChanged: streams.announcePresence,
  });
  streams.team.watchConnections((name) => {
    runs.connectionsChanged(name);
    presence.announce(name);
  });
  const activity = createActivity({
    units: activityStore.store.units,
    streams: streams.activity,
    members,
    clock,
    frames: { ready: readyFrame, reset: resetFrame, entriesOf },
  });
  return {
    streams,
    members,
    kinds,
    presence,
    runs,
    activity,
    forgetMember(name) {
      runs.forget(name);
      presence.forget(name);
      kinds.forget(name);
      streams.team.end({ key: name });
      streams.replies.endOfMember(name);
      watchers.forgetMember(name);
    },
  };
}
