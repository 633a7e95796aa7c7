/** Removes a member from the team. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { neighborOf } from '../../ui/neighbor.rules.ts';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.ts';
import { useMembers } from './use-members.ts';

export function MemberRemoval({ name, isLastManager }: { name: string; isLastManager: boolean }) {
  const { client } = useBroker();
  const navigate = useNavigate();
  const { data } = useMembers();
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.call('deleteMember', { params: { name } }),
    onSuccess: () => {
      setOpen(false);
      toast(`${name} has left the team`);
      const beside = neighborOf(data?.members ?? [], (member) => member.name === name);
      void navigate({
        to: '/app/admin/people',
        search: {},
        replace: true,
        ...(beside && { state: { memberInFocus: beside.name } }),
      });
    },
  });
  return (
    <Section title="Remove from the team">
      <div className="flex flex-wrap items-center justify-between gap-3 p-4">
        <p className="max-w-prose text-soft">
          The member’s tokens and sessions end within a second, open objectives become blocked, and the name
          can never be reused. Messages and files are kept.
        </p>
        <Button look="danger" disabled={isLastManager} onClick={() => setOpen(true)}>
          Delete {name}
        </Button>
      </div>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete ${name}?`}
        consequence={`The tokens and sessions of ${name} end, and open objectives that are assigned to ${name} become blocked. Messages and files are kept. This cannot be undone, and the name can never be reused.`}
        act={`Delete ${name}`}
        change={remove}
        onConfirm={() => remove.mutate()}
      />
    </Section>
  );
}
