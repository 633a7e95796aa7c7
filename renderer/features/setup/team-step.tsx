/** The first step: the team's name and directive. */
import type { ReactNode } from 'react';
import { limits } from '#protocol/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextArea, TextInput } from '../../ui/field.tsx';

export interface NewTeam {
  name: string;
  directive: string;
  brief: string;
}

export interface TeamStepProps {
  team: NewTeam;
  onTeam: (team: NewTeam) => void;
  /** Asks for the setup key if the address did not contain it. */
  keyField: ReactNode;
  onNext: () => void;
}

export function SetupKeyField({ value, onKey }: { value: string; onKey: (key: string) => void }) {
  return (
    <Field label="Setup key" hint="The broker printed it at startup, in the link that ends in #key=…">
      <TextInput
        value={value}
        onChange={(event) => onKey(event.target.value)}
        required
        className="font-mono"
        autoComplete="off"
      />
    </Field>
  );
}

export function TeamStep({ team, onTeam, keyField, onNext }: TeamStepProps) {
  return (
    <FieldForm onSubmit={onNext}>
      {keyField}
      <Field label="Team name">
        <TextInput
          value={team.name}
          onChange={(event) => onTeam({ ...team, name: event.target.value })}
          maxLength={limits.team.name}
          required
        />
      </Field>
      <Field label="Directive" hint="The purpose of the team, in one sentence. Agents read it first.">
        <TextArea
          value={team.directive}
          onChange={(event) => onTeam({ ...team, directive: event.target.value })}
          maxLength={limits.team.directive}
          rows={2}
        />
      </Field>
      <Field
        label="Brief (optional)"
        hint="Anything that everyone should know. You can change it at any time."
      >
        <TextArea
          value={team.brief}
          onChange={(event) => onTeam({ ...team, brief: event.target.value })}
          maxLength={limits.team.brief}
          rows={4}
        />
      </Field>
      <div className="flex justify-end">
        <Button type="submit" look="primary">
          Next
        </Button>
      </div>
    </FieldForm>
  );
}
