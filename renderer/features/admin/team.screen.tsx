/** The team: name, directive, and brief. Editing it needs team.manage. */

import { useQueryClient } from '@tanstack/react-query';
import { limits } from '#protocol/limits.ts';
import type { Team } from '#protocol/team.ts';
import { useBroker } from '../../data/broker.tsx';
import { useEdits } from '../../data/edits.ts';
import { keys } from '../../data/keys.ts';
import { useTeam } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextArea, TextInput } from '../../ui/field.tsx';
import { Overtaken } from '../../ui/overtaken.tsx';
import { Section } from '../../ui/page.tsx';
import { PermissionBadges } from '../../ui/permission-badges.tsx';
import { FormError, NotLoaded } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { Unsaved } from '../../ui/unsaved.tsx';
import { AdminPage, AdminSections } from './admin-page.tsx';

interface Editable extends Pick<Team, 'name' | 'directive' | 'brief'> {
  maxAgentHops: number;
}
const words: Record<keyof Editable, string> = {
  name: 'Name',
  directive: 'Directive',
  brief: 'Brief',
  maxAgentHops: 'Posts by agents in a row',
};

function Form({ team, mayEdit }: { team: Team; mayEdit: boolean }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { value, set, changed, overtaken, sent } = useEdits<Editable>({
    name: team.name,
    directive: team.directive,
    brief: team.brief,
    maxAgentHops: team.maxAgentHops ?? limits.holds.hops,
  });
  const { name, directive, brief, maxAgentHops } = value;
  const save = useMutation({
    mutationFn: (edits: Partial<Editable>) => client.call('updateTeam', { body: edits }),
    onSuccess: (saved, edits) => {
      cache.setQueryData(keys.team, saved);
      sent(edits);
      void cache.invalidateQueries({ queryKey: keys.briefing });
      toast('The team was saved');
    },
  });
  return (
    <FieldForm className="flex flex-col gap-4 p-4" onSubmit={() => save.mutate(changed)}>
      <Field label="Name">
        <TextInput
          value={name}
          onChange={(event) => set('name', event.target.value)}
          maxLength={limits.team.name}
          required
          readOnly={!mayEdit}
        />
      </Field>
      <Field label="Directive" hint="The purpose of the team. Every agent reads it first.">
        <TextArea
          value={directive}
          onChange={(event) => set('directive', event.target.value)}
          maxLength={limits.team.directive}
          rows={2}
          readOnly={!mayEdit}
        />
      </Field>
      <Field label="Brief" hint="Anything that everyone should know.">
        <TextArea
          value={brief}
          onChange={(event) => set('brief', event.target.value)}
          maxLength={limits.team.brief}
          rows={8}
          readOnly={!mayEdit}
        />
      </Field>
      <Field
        label={words.maxAgentHops}
        hint="After this many posts by agents without one by a person, the next is held until a manager releases or drops it."
      >
        <TextInput
          type="number"
          className="max-w-32"
          min={1}
          max={limits.holds.hopsMax}
          value={maxAgentHops}
          onChange={({ target }) => set('maxAgentHops', Number(target.value))}
          required
          readOnly={!mayEdit}
        />
      </Field>
      <Unsaved isChanged={Object.keys(changed).length > 0} />
      <Overtaken fields={overtaken.map((field) => words[field])} />
      <FormError error={save.error} />
      {mayEdit ? (
        <div className="flex justify-end">
          <Button
            type="submit"
            look="primary"
            isBusy={save.isPending}
            disabled={Object.keys(changed).length === 0}
          >
            Save team
          </Button>
        </div>
      ) : (
        <p className="text-sm text-soft">Members who may change the team can edit this.</p>
      )}
    </FieldForm>
  );
}

export function TeamScreen() {
  return (
    <AdminPage title="Team">
      <Parts />
    </AdminPage>
  );
}

function Parts() {
  const mayEdit = useMay('updateTeam');
  const { data, error, refetch } = useTeam();
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  return (
    <AdminSections>
      <Section title="About the team">
        <Form team={data} mayEdit={mayEdit} />
      </Section>
      <Section title="Permission presets">
        <dl className="p-4">
          {Object.entries(data.permissionPresets).map(([preset, leaves]) => (
            <div key={preset} className="flex items-start gap-3 py-1 max-sm:flex-col max-sm:gap-1">
              <dt className="w-20 shrink-0 pt-0.5 font-mono text-sm">{preset}</dt>
              <dd className="flex flex-wrap gap-1">
                <PermissionBadges permissions={leaves} />
              </dd>
            </div>
          ))}
        </dl>
        <p className="px-4 pb-4 text-sm text-soft">
          Members who may change the team and manage members can change the presets with{' '}
          <code className="font-mono">muster team set</code>.
        </p>
      </Section>
    </AdminSections>
  );
}
