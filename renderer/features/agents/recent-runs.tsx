/** The recent runs: repeat one with one click, or start a new one from its choices. */
import { Play, SlidersHorizontal } from 'lucide-react';
import type { DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { agentName, lastPartOf } from '../../../runner/agents/agent-kinds.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { IconButton } from '../../ui/button.tsx';
import { FormError } from '../../ui/states.tsx';

interface RecentRunsProps {
  bridge: DesktopBridge;
  recent: readonly RecentAgent[];
  onStarted: (id: string) => void;
  onChange: (recent: RecentAgent) => void;
}

const maxRuns = 5;

export function RecentRuns({ bridge, recent, onStarted, onChange }: RecentRunsProps) {
  const start = useMutation({
    mutationFn: ({ member, kind, folder, program, args, isUnattended, modelUrl }: RecentAgent) =>
      answerOf(
        bridge.startAgent({
          member,
          kind,
          folder: folder.id,
          program: program?.id ?? null,
          args,
          isUnattended,
          modelUrl,
        }),
      ),
    onSuccess: onStarted,
  });
  return (
    <div className="border-b border-line bg-sunken px-4 py-2">
      <h3 className="text-sm font-medium text-soft">Recent</h3>
      <ul aria-label="Recent runs">
        {recent.slice(0, maxRuns).map((one) => {
          const name = `${one.member}, ${agentName(one.kind, one.program?.path ?? null)} in ${lastPartOf(one.folder.path)}`;
          return (
            <li key={one.id} className="flex items-center gap-2 py-0.5">
              <span className="min-w-0 flex-1 truncate" title={one.folder.path}>
                <span className="font-medium">{one.member}</span>{' '}
                <span className="text-soft">
                  {agentName(one.kind, one.program?.path ?? null)} · {one.folder.path}
                  {one.isUnattended ? ' · unattended' : ''}
                </span>
              </span>
              <IconButton label={`Change and run ${name}`} onClick={() => onChange(one)}>
                <SlidersHorizontal />
              </IconButton>
              <IconButton label={`Run ${name}`} disabled={start.isPending} onClick={() => start.mutate(one)}>
                <Play />
              </IconButton>
            </li>
          );
        })}
      </ul>
      <FormError error={start.error} />
    </div>
  );
}
