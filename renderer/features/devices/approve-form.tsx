/** Approving: as a member that is there, or as a new one. The button arms after a moment, so that nothing approves by accident. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useRoster } from '../../data/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Field, SelectInput, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { PermissionEditor } from '../members/permission-editor.tsx';

const armMs = 700;

interface ApproveFormProps {
  enrollment: PendingEnrollment;
  /** In a window of its own: its heading has the code, and its buttons stay in sight. What stands beside the button that approves. */
  alone?: ReactNode;
  onClose: () => void;
}

export function ApproveForm({ enrollment, alone, onClose }: ApproveFormProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { data: roster } = useRoster();
  const [mode, setMode] = useState<'bind' | 'create'>('bind');
  const [memberName, setMemberName] = useState('');
  const [title, setTitle] = useState('');
  const [permissions, setPermissions] = useState<string[]>([]);
  const [label, setLabel] = useState(enrollment.labelHint ?? '');
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), armMs);
    return () => clearTimeout(timer);
  }, []);
  const { userCode } = enrollment;
  const approve = useMutation({
    mutationFn: () =>
      client.call('approveEnrollment', {
        body:
          mode === 'bind'
            ? { mode, userCode, memberName, ...(label !== '' && { label }) }
            : {
                mode,
                userCode,
                memberName,
                role: { title, description: '' },
                permissions,
                ...(label !== '' && { label }),
              },
      }),
    onSuccess: async () => {
      toast(`${userCode} is approved as ${memberName}`, 'The device gets its token by itself.');
      onClose();
      for (const queryKey of [keys.enrollments, keys.enrollmentHistory, keys.members, keys.roster])
        await cache.invalidateQueries({ queryKey });
    },
  });
  const bound = roster?.teammates.find(({ name }) => name === memberName);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isArmed) approve.mutate();
      }}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-sunken p-3 text-sm">
        {alone === undefined ? (
          <>
            <dt className="text-soft">Code</dt>
            <dd className="font-mono font-semibold">{userCode}</dd>
          </>
        ) : null}
        <dt className="text-soft">Address</dt>
        <dd>{enrollment.sourceIp ?? 'unknown'}</dd>
        <dt className="text-soft">Program</dt>
        <dd className="break-words">{enrollment.userAgent ?? 'unknown'}</dd>
      </dl>
      <fieldset className="flex gap-4">
        <legend className="sr-only">Who is it?</legend>
        {(['bind', 'create'] as const).map((one) => (
          <label key={one} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="mode"
              checked={mode === one}
              onChange={() => setMode(one)}
              className="accent-(--accent)"
            />
            {one === 'bind' ? 'A member of the team' : 'A new member'}
          </label>
        ))}
      </fieldset>
      {mode === 'bind' ? (
        <>
          <Field label="Member">
            <SelectInput value={memberName} onChange={(event) => setMemberName(event.target.value)} required>
              <option value="">Choose a member</option>
              {(roster?.teammates ?? []).map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </SelectInput>
          </Field>
          {bound === undefined ? null : (
            <p className="flex flex-wrap items-center gap-1 text-sm text-soft">
              The device may do what {bound.name} may:{' '}
              {bound.permissions.length === 0
                ? 'what every member may.'
                : bound.permissions.map((leaf) => (
                    <Badge key={leaf} tone={leaf === 'members.manage' ? 'critical' : 'info'}>
                      {leaf}
                    </Badge>
                  ))}
            </p>
          )}
        </>
      ) : (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Name">
              <TextInput
                value={memberName}
                onChange={(event) => setMemberName(event.target.value)}
                autoCapitalize="none"
                spellCheck={false}
                required
              />
            </Field>
            <Field label="Role">
              <TextInput value={title} onChange={(event) => setTitle(event.target.value)} required />
            </Field>
          </div>
          <PermissionEditor chosen={permissions} onChange={setPermissions} />
        </>
      )}
      <Field label="Label of the device">
        <TextInput value={label} onChange={(event) => setLabel(event.target.value)} maxLength={64} />
      </Field>
      <FormError error={approve.error} />
      <div
        className={cx(
          'flex justify-end gap-2',
          alone !== undefined && 'sticky bottom-0 -mx-4 -mb-4 border-t border-line bg-surface px-4 py-3',
        )}
      >
        {alone ?? <Button onClick={onClose}>Cancel</Button>}
        <Button type="submit" look="primary" disabled={!isArmed} isBusy={approve.isPending}>
          Approve device
        </Button>
      </div>
    </form>
  );
}
