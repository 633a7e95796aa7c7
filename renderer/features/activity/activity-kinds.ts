/** The names of the kinds of activity on the screen. */
import type { activityKinds } from '#protocol/vocabulary.ts';
import type { Tone } from '../../ui/badge.tsx';

export const labelByKind: Record<(typeof activityKinds)[number], { label: string; tone: Tone }> = {
  llm_exchange: { label: 'model request', tone: 'info' },
  opaque_http: { label: 'web request', tone: 'neutral' },
  objective_open: { label: 'objective opened', tone: 'positive' },
  objective_close: { label: 'objective closed', tone: 'neutral' },
};

/** An agent's own web request may fail without anybody's help; a failed model request stops it. */
export const failedTone = ({ kind }: { kind: (typeof activityKinds)[number] }): Tone =>
  kind === 'opaque_http' ? 'caution' : 'critical';
