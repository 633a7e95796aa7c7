/** Whether a member is a person or an agent, as operators decide it. */
import { useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import type { MemberKind } from '#protocol/member-kind.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Field } from '../../ui/field.tsx';
import { KindsContext } from '../../ui/kind.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';

const derived = 'derived';

export function MemberKindChoice({ name }: { name: string }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const known = use(KindsContext).byName.get(name);
  const change = useMutation({
    mutationFn: (kind: MemberKind | null) =>
      client.call('setMemberKind', { params: { name }, body: { kind } }),
    onSuccess: async ({ kind }) => {
      toast(kind === 'agent' ? `${name} is shown as an agent` : `${name} is shown as a person`);
      await cache.invalidateQueries({ queryKey: keys.kinds });
    },
  });
  if (known === undefined) return null;
  return (
    <Section title="Person or agent">
      <div className="flex flex-col gap-2 p-4">
        <Field
          label="Kind of member"
          hint="A member is an agent if a run has worked as it and it has no authenticator. Choose the kind if that is wrong."
        >
          <Select
            value={known.isSet ? known.kind : derived}
            options={[
              {
                value: derived,
                text: known.isSet ? 'Detect from how it connects' : `Detected: ${known.kind}`,
              },
              { value: 'person', text: 'Person' },
              { value: 'agent', text: 'Agent' },
            ]}
            onChoose={(kind) => change.mutate(kind === derived ? null : kind)}
            isDisabled={change.isPending}
          />
        </Field>
        <FormError error={change.error} />
      </div>
    </Section>
  );
}
